package check

import (
	"bytes"
	"fmt"
	"os"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer/json"
)

// decode reads the objects of a file into the types of Kubernetes. A field that they do
// not have, that has another type or that is there twice is an error.
func decode(text []byte) ([]runtime.Object, error) {
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{
		appsv1.AddToScheme, batchv1.AddToScheme, corev1.AddToScheme, networkingv1.AddToScheme, policyv1.AddToScheme,
	} {
		if err := add(scheme); err != nil {
			return nil, err
		}
	}
	strict := json.NewSerializerWithOptions(json.DefaultMetaFactory, scheme, scheme, json.SerializerOptions{Yaml: true, Strict: true})
	var objects []runtime.Object
	for i, document := range bytes.Split(text, []byte("\n---\n")) {
		object, _, err := strict.Decode(document, nil, nil)
		if err != nil {
			return nil, fmt.Errorf("document %d: %w", i+1, err)
		}
		objects = append(objects, object)
	}
	return objects, nil
}

func read(t *testing.T, name string) []byte {
	t.Helper()
	text, err := os.ReadFile("../kubernetes/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func manifests(t *testing.T, name string) []runtime.Object {
	t.Helper()
	objects, err := decode(read(t, name))
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return objects
}

func only[T any](t *testing.T, objects []runtime.Object) T {
	t.Helper()
	var found []T
	for _, o := range objects {
		if wanted, ok := o.(T); ok {
			found = append(found, wanted)
		}
	}
	if len(found) != 1 {
		t.Fatalf("%d objects of type %T", len(found), *new(T))
	}
	return found[0]
}

func TestAMisspeltFieldIsNoticed(t *testing.T) {
	text := read(t, "library.yaml")
	for _, c := range []struct{ right, wrong string }{
		{"replicas: 3", "replica: 3"},
		{"replicas: 3", "replicas: three"},
		{"replicas: 3", "replicas: 3\n  replicas: 4"},
		{"kind: Deployment", "kind: Deploymnet"},
		{"readinessProbe:", "readynessProbe:"},
	} {
		if _, err := decode(bytes.Replace(text, []byte(c.right), []byte(c.wrong), 1)); err == nil {
			t.Errorf("%q passes", c.wrong)
		}
	}
}

func TestTheDeployment(t *testing.T) {
	objects := manifests(t, "library.yaml")
	d, config := only[*appsv1.Deployment](t, objects), only[*corev1.ConfigMap](t, objects)
	pod := d.Spec.Template.Spec

	t.Run("never has fewer processes than wanted", func(t *testing.T) {
		update := d.Spec.Strategy.RollingUpdate
		if update == nil || update.MaxUnavailable.IntValue() != 0 || update.MaxSurge.IntValue() < 1 {
			t.Errorf("%v", d.Spec.Strategy)
		}
		if budget := only[*policyv1.PodDisruptionBudget](t, objects); budget.Spec.MinAvailable.IntValue() != int(*d.Spec.Replicas)-1 {
			t.Errorf("%v of %d may go at once", budget.Spec.MinAvailable, *d.Spec.Replicas)
		}
	})
	t.Run("has the time to stop", func(t *testing.T) {
		drain, err := time.ParseDuration(config.Data["LIBRARY_DRAIN"])
		const requestsInFlight = 15 * time.Second
		if grace := time.Duration(*pod.TerminationGracePeriodSeconds) * time.Second; err != nil || grace <= drain+requestsInFlight {
			t.Errorf("%v for draining %v (%v)", grace, drain, err)
		}
	})
	t.Run("is asked at a port where it answers", func(t *testing.T) {
		c := pod.Containers[0]
		for _, probe := range []*corev1.Probe{c.StartupProbe, c.LivenessProbe, c.ReadinessProbe} {
			if probe == nil || probe.HTTPGet == nil || probe.HTTPGet.Port.StrVal != "management" {
				t.Fatalf("probe %v", probe)
			}
		}
		if c.ReadinessProbe.HTTPGet.Path != "/readyz" || c.LivenessProbe.HTTPGet.Path != "/healthz" {
			t.Error("a process that cannot reach its database must not be sent anything, and must not be restarted either")
		}
		if config.Data["LIBRARY_MANAGEMENT_ADDR"] != ":9092" {
			t.Error("the management port is reachable inside the pod only")
		}
	})
	t.Run("has few rights", func(t *testing.T) { hasFewRights(t, pod) })
	t.Run("is found by everything that looks for it", func(t *testing.T) {
		is := labels.Set(d.Spec.Template.Labels)
		for what, selector := range map[string]map[string]string{
			"Deployment": d.Spec.Selector.MatchLabels, "Service": only[*corev1.Service](t, objects).Spec.Selector,
			"PodDisruptionBudget": only[*policyv1.PodDisruptionBudget](t, objects).Spec.Selector.MatchLabels,
			"NetworkPolicy":       only[*networkingv1.NetworkPolicy](t, objects).Spec.PodSelector.MatchLabels,
		} {
			if len(selector) == 0 || !labels.SelectorFromSet(selector).Matches(is) {
				t.Errorf("%s looks for %v", what, selector)
			}
		}
	})
	t.Run("is where the ingress leads", func(t *testing.T) {
		service := only[*corev1.Service](t, objects)
		for _, rule := range only[*networkingv1.Ingress](t, objects).Spec.Rules {
			for _, path := range rule.HTTP.Paths {
				if path.Backend.Service.Name != service.Name || !hasPort(service, path.Backend.Service.Port.Name) {
					t.Errorf("%s leads to %v", path.Path, path.Backend.Service)
				}
			}
		}
	})
}

func TestTheMigrationHasFewRights(t *testing.T) {
	hasFewRights(t, only[*batchv1.Job](t, manifests(t, "migrate.yaml")).Spec.Template.Spec)
}

// hasFewRights is what the level "restricted" of Kubernetes asks for, and more.
func hasFewRights(t *testing.T, pod corev1.PodSpec) {
	t.Helper()
	is := func(b *bool, want bool) bool { return b != nil && *b == want }
	if p := pod.SecurityContext; !is(p.RunAsNonRoot, true) || p.SeccompProfile == nil || !is(pod.AutomountServiceAccountToken, false) {
		t.Errorf("pod: %v", p)
	}
	for _, c := range pod.Containers {
		s := c.SecurityContext
		if !is(s.AllowPrivilegeEscalation, false) || !is(s.ReadOnlyRootFilesystem, true) || len(s.Capabilities.Drop) != 1 || s.Capabilities.Drop[0] != "ALL" {
			t.Errorf("%s: %v", c.Name, s)
		}
		if c.Resources.Limits.Memory().IsZero() || c.Resources.Requests.Cpu().IsZero() {
			t.Errorf("%s has no limits", c.Name)
		}
	}
}

func hasPort(s *corev1.Service, name string) bool {
	for _, p := range s.Spec.Ports {
		if p.Name == name {
			return true
		}
	}
	return false
}
