// SPDX-License-Identifier: Apache-2.0
package main

import (
	"context"
	"fmt"
	"strconv"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
	crcache "sigs.k8s.io/controller-runtime/pkg/cache"
)

// stampAnnotation carries the time at which a change was sent.
const stampAnnotation = "bench.etcd-operator/sent"

// An informer of one kind with one handler that counts and, when told to, keeps how long changes took to arrive.
type informerProgram struct {
	add       func(handler cache.ResourceEventHandler) error
	start     func()
	wanted    int
	mutex     sync.Mutex
	added     int
	done      chan struct{}
	latencies []float64
	cpuBefore float64
}

func runInformer(ctx context.Context, o options) (func(string) (any, error), error) {
	p := &informerProgram{wanted: o.count, done: make(chan struct{})}
	if err := p.prepare(ctx, o); err != nil {
		return nil, err
	}
	return p.handle, nil
}

func (p *informerProgram) prepare(ctx context.Context, o options) error {
	config := restConfig(o.codec)
	switch {
	case o.kind == "pods":
		client, err := kubernetes.NewForConfig(config)
		if err != nil {
			return err
		}
		factory := informers.NewSharedInformerFactoryWithOptions(client, 0, informers.WithTransform(strip))
		informer := factory.Core().V1().Pods().Informer()
		p.add = func(handler cache.ResourceEventHandler) error {
			_, err := informer.AddEventHandler(handler)
			return err
		}
		p.start = func() { factory.Start(ctx.Done()) }
	case o.mode == "typed":
		all, err := crcache.New(config, crcache.Options{Scheme: newScheme(), DefaultTransform: crcache.TransformStripManagedFields()})
		if err != nil {
			return err
		}
		p.add = func(handler cache.ResourceEventHandler) error {
			// Blocks until the cache is started.
			go func() {
				informer, err := all.GetInformer(ctx, &EtcdCluster{}, crcache.BlockUntilSynced(false))
				if err == nil {
					_, err = informer.AddEventHandler(handler)
				}
				if err != nil {
					panic(err)
				}
			}()
			return nil
		}
		p.start = func() { go func() { _ = all.Start(ctx) }() }
	default:
		client, err := dynamic.NewForConfig(config)
		if err != nil {
			return err
		}
		informer := dynamicinformer.NewFilteredDynamicInformer(client, clusterResource, metav1.NamespaceAll, 0, cache.Indexers{}, nil).Informer()
		if err := informer.SetTransform(strip); err != nil {
			return err
		}
		p.add = func(handler cache.ResourceEventHandler) error {
			_, err := informer.AddEventHandler(handler)
			return err
		}
		p.start = func() { go informer.Run(ctx.Done()) }
	}
	return nil
}

func strip(object any) (any, error) {
	if accessor, err := meta.Accessor(object); err == nil && accessor.GetManagedFields() != nil {
		accessor.SetManagedFields(nil)
	}
	return object, nil
}

func (p *informerProgram) handle(word string) (any, error) {
	switch word {
	case "go":
		return p.sync()
	case "gc":
		collectGarbage()
		return map[string]bool{"done": true}, nil
	case "watch":
		p.mutex.Lock()
		defer p.mutex.Unlock()
		p.latencies = nil
		p.cpuBefore = cpuSeconds()
		return map[string]bool{"done": true}, nil
	case "watched":
		p.mutex.Lock()
		defer p.mutex.Unlock()
		return struct {
			quantiles
			CPU float64 `json:"cpu"`
		}{quantilesOf(p.latencies), cpuSeconds() - p.cpuBefore}, nil
	}
	return nil, fmt.Errorf("there is no word %q", word)
}

func (p *informerProgram) sync() (any, error) {
	cpu, begun := cpuSeconds(), time.Now()
	handler := cache.ResourceEventHandlerFuncs{
		AddFunc: func(any) {
			p.mutex.Lock()
			defer p.mutex.Unlock()
			p.added++
			if p.added == p.wanted {
				close(p.done)
			}
		},
		UpdateFunc: func(_, object any) { p.arrived(object) },
	}
	if err := p.add(handler); err != nil {
		return nil, err
	}
	p.start()
	select {
	case <-p.done:
	case <-time.After(2 * time.Minute):
		return nil, fmt.Errorf("%d of %d objects came within two minutes", p.added, p.wanted)
	}
	return map[string]float64{"wall": time.Since(begun).Seconds(), "cpu": cpuSeconds() - cpu}, nil
}

func (p *informerProgram) arrived(object any) {
	now := nowMilliseconds()
	accessor, err := meta.Accessor(object)
	if err != nil {
		return
	}
	sent, err := strconv.ParseFloat(accessor.GetAnnotations()[stampAnnotation], 64)
	if err != nil {
		return
	}
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.latencies = append(p.latencies, now-sent)
}
