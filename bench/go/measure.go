// SPDX-License-Identifier: Apache-2.0
package main

import (
	"runtime"
	"runtime/debug"
	"slices"
	"syscall"
	"time"
)

// cpuSeconds is what all threads of this process have used, in user and kernel mode.
func cpuSeconds() float64 {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		return 0
	}
	return float64(usage.Utime.Sec+usage.Stime.Sec) + float64(usage.Utime.Usec+usage.Stime.Usec)/1e6
}

// collectGarbage gives back what is free, so that what is left is held.
func collectGarbage() {
	for range 3 {
		runtime.GC()
	}
	debug.FreeOSMemory()
}

// nowMilliseconds is the time of the machine, which all processes of a benchmark share.
func nowMilliseconds() float64 {
	return float64(time.Now().UnixMicro()) / 1000
}

type quantiles struct {
	Count int     `json:"count"`
	P50   float64 `json:"p50"`
	P99   float64 `json:"p99"`
	Max   float64 `json:"max"`
}

func quantilesOf(values []float64) quantiles {
	sorted := slices.Sorted(slices.Values(values))
	at := func(share float64) float64 {
		if len(sorted) == 0 {
			return 0
		}
		return sorted[min(len(sorted)-1, int(float64(len(sorted))*share))]
	}
	return quantiles{Count: len(sorted), P50: at(0.5), P99: at(0.99), Max: at(1)}
}
