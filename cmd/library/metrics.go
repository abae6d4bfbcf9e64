package main

import (
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"

	"example.org/library/auth"
	"example.org/library/sqlstore"
)

// newRegistry has the metrics of the process itself.
func newRegistry() *prometheus.Registry {
	registry := prometheus.NewRegistry()
	registry.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	thisBuild().register(registry)
	return registry
}

// registerDatabase adds the metrics of the connections to the database.
func registerDatabase(registry prometheus.Registerer, store *sqlstore.Store) {
	gauge(registry, "library_database_connections_open", "Open connections to the database.",
		func() float64 { return float64(store.Stats().OpenConnections) })
	gauge(registry, "library_database_connections_in_use", "Connections to the database that are in use now.",
		func() float64 { return float64(store.Stats().InUse) })
	counter(registry, "library_database_waits_total", "How often a request had to wait for a free connection to the database.",
		func() float64 { return float64(store.Stats().WaitCount) })
	counter(registry, "library_database_wait_seconds_total", "Seconds that requests have waited for a free connection to the database, in total.",
		func() float64 { return store.Stats().WaitDuration.Seconds() })
}

// registerKeySet adds the metrics of the identity provider's keys.
func registerKeySet(registry prometheus.Registerer, keys *auth.KeySet) {
	gauge(registry, "library_keyset_age_seconds", "Age of the identity provider's key set in use; -1 if none was ever fetched.",
		func() float64 {
			if age := keys.Stats().Age; age >= 0 {
				return age.Seconds()
			}
			return -1
		})
	gauge(registry, "library_keyset_keys", "Number of usable keys in the identity provider's key set.",
		func() float64 { return float64(keys.Stats().Keys) })
	counter(registry, "library_keyset_fetches_total", "How often the identity provider's key set was fetched.",
		func() float64 { return float64(keys.Stats().Fetches) })
	counter(registry, "library_keyset_fetch_failures_total", "How often fetching the identity provider's key set failed or gave no usable key.",
		func() float64 { return float64(keys.Stats().Failures) })
}

// registerUserinfo adds the metrics of asking the identity provider for addresses.
func registerUserinfo(registry prometheus.Registerer, userinfo *auth.Userinfo) {
	counter(registry, "library_userinfo_requests_total", "How often the identity provider's userinfo endpoint was asked.",
		func() float64 { asked, _ := userinfo.Asked(); return float64(asked) })
	counter(registry, "library_userinfo_failures_total", "How often the identity provider's userinfo endpoint gave no usable answer.",
		func() float64 { _, failed := userinfo.Asked(); return float64(failed) })
}

func gauge(registry prometheus.Registerer, name, help string, value func() float64) {
	registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help}, value))
}

func counter(registry prometheus.Registerer, name, help string, value func() float64) {
	registry.MustRegister(prometheus.NewCounterFunc(prometheus.CounterOpts{Name: name, Help: help}, value))
}
