// SPDX-License-Identifier: Apache-2.0
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
)

// runLoad makes objects from templates, each with its status.
func runLoad(ctx context.Context, o options) (func(string) (any, error), error) {
	all, err := readTemplates(o.template)
	if err != nil {
		return nil, err
	}
	client, err := dynamic.NewForConfig(restConfig("json"))
	if err != nil {
		return nil, err
	}
	typed, err := kubernetes.NewForConfig(restConfig("protobuf"))
	if err != nil {
		return nil, err
	}
	from := 0
	return func(word string) (any, error) {
		until := from
		if _, err := fmt.Sscanf(word, "until %d", &until); err != nil {
			return nil, fmt.Errorf("there is no word %q", word)
		}
		begun := time.Now()
		for i := range o.namespaces {
			namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: namespaceOf(i, o)}}
			if _, err := typed.CoreV1().Namespaces().Create(ctx, namespace, metav1.CreateOptions{}); err != nil && !apierrors.IsAlreadyExists(err) {
				return nil, err
			}
		}
		create := func(number int) error {
			if o.kind == "pods" {
				return createPod(ctx, typed, namespaceOf(number, o), all.fill(number))
			}
			return createCluster(ctx, client, namespaceOf(number, o), all.fill(number))
		}
		err := inParallel(o.concurrency, until-from, func(i int) error { return create(from + i) })
		from = until
		return map[string]float64{"wall": time.Since(begun).Seconds()}, err
	}, nil
}

func nameOf(number int) string { return fmt.Sprintf("object-%05d", number) }

func namespaceOf(number int, o options) string { return fmt.Sprintf("bench-%02d", number%o.namespaces) }

func resourceOf(o options) schema.GroupVersionResource {
	if o.kind == "pods" {
		return podResource
	}
	return clusterResource
}

func createPod(ctx context.Context, client kubernetes.Interface, namespace string, text []byte) error {
	pod := &corev1.Pod{}
	if err := json.Unmarshal(text, pod); err != nil {
		return err
	}
	status := pod.Status
	made, err := client.CoreV1().Pods(namespace).Create(ctx, pod, metav1.CreateOptions{})
	if err != nil {
		return err
	}
	made.Status = status
	_, err = client.CoreV1().Pods(namespace).UpdateStatus(ctx, made, metav1.UpdateOptions{})
	return err
}

func createCluster(ctx context.Context, client dynamic.Interface, namespace string, text []byte) error {
	object := &unstructured.Unstructured{}
	if err := json.Unmarshal(text, object); err != nil {
		return err
	}
	status := object.Object["status"]
	made, err := client.Resource(clusterResource).Namespace(namespace).Create(ctx, object, metav1.CreateOptions{})
	if err != nil {
		return err
	}
	made.Object["status"] = status
	_, err = client.Resource(clusterResource).Namespace(namespace).UpdateStatus(ctx, made, metav1.UpdateOptions{})
	return err
}

// inParallel does count pieces of work, several at a time, and stops at the first that fails.
func inParallel(workers, count int, work func(i int) error) error {
	numbers := make(chan int)
	failure := make(chan error, workers)
	stop := make(chan struct{})
	var once sync.Once
	var group sync.WaitGroup
	for range workers {
		group.Go(func() {
			for i := range numbers {
				if err := work(i); err != nil {
					failure <- err
					once.Do(func() { close(stop) })
					return
				}
			}
		})
	}
feed:
	for i := range count {
		select {
		case numbers <- i:
		case <-stop:
			break feed
		}
	}
	close(numbers)
	group.Wait()
	select {
	case err := <-failure:
		return err
	default:
		return nil
	}
}
