package main

import (
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"

	"example.org/library/auth"
	"example.org/library/sqlstore"
)

// newRegistry has what the process tells of itself.
func newRegistry() *prometheus.Registry {
	registry := prometheus.NewRegistry()
	registry.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	thisBuild().register(registry)
	return registry
}

// registerDatabase adds what the database tells of itself.
func registerDatabase(registry prometheus.Registerer, store *sqlstore.Store) {
	gauge(registry, "library_database_connections_open", "Connections to the database that are open.",
		func() float64 { return float64(store.Stats().OpenConnections) })
	gauge(registry, "library_database_connections_in_use", "Connections to the database that are in use.",
		func() float64 { return float64(store.Stats().InUse) })
	counter(registry, "library_database_waits_total", "Times that a request had to wait for a connection to the database.",
		func() float64 { return float64(store.Stats().WaitCount) })
	counter(registry, "library_database_wait_seconds_total", "Time that requests waited for a connection to the database.",
		func() float64 { return store.Stats().WaitDuration.Seconds() })
}

// registerKeySet adds what is known of the identity provider's keys.
func registerKeySet(registry prometheus.Registerer, keys *auth.KeySet) {
	gauge(registry, "library_keyset_age_seconds", "Age of the key set in use; -1 when none was ever obtained.",
		func() float64 {
			if age := keys.Stats().Age; age >= 0 {
				return age.Seconds()
			}
			return -1
		})
	gauge(registry, "library_keyset_keys", "Usable keys in the key set.",
		func() float64 { return float64(keys.Stats().Keys) })
	counter(registry, "library_keyset_fetches_total", "Fetches of the key set.",
		func() float64 { return float64(keys.Stats().Fetches) })
	counter(registry, "library_keyset_fetch_failures_total", "Fetches of the key set that failed or brought nothing usable.",
		func() float64 { return float64(keys.Stats().Failures) })
}

func gauge(registry prometheus.Registerer, name, help string, value func() float64) {
	registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help}, value))
}

func counter(registry prometheus.Registerer, name, help string, value func() float64) {
	registry.MustRegister(prometheus.NewCounterFunc(prometheus.CounterOpts{Name: name, Help: help}, value))
}
