package main

import (
	"fmt"
	"io"
	"sync"
	"time"
)

// patience is how long a step may take before it is named.
const patience = time.Second

// progress prints the name of each step that takes longer than patience.
func progress(w io.Writer) (begin func(step string), end func()) {
	var mu sync.Mutex
	var timer *time.Timer
	end = func() {
		mu.Lock()
		defer mu.Unlock()
		if timer != nil {
			timer.Stop()
			timer = nil
		}
	}
	begin = func(step string) {
		end()
		mu.Lock()
		defer mu.Unlock()
		var mine *time.Timer
		mine = time.AfterFunc(patience, func() {
			mu.Lock()
			defer mu.Unlock()
			if timer == mine {
				fmt.Fprintf(w, "whgen: %s ...\n", step)
			}
		})
		timer = mine
	}
	return begin, end
}
