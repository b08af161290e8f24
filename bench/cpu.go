package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"time"
)

// ticks is the unit of /proc/*/stat: USER_HZ, 100 on every Linux that Go runs on.
const ticks = 100

// processCPU is the CPU time of one process, user and system. Zero where there
// is no /proc: the columns are then empty.
func processCPU(pid int) time.Duration {
	_, cpu, ok := stat(pid)
	if !ok {
		return 0
	}
	return cpu
}

// childrenCPU is the CPU time of a process and of its direct children that
// live: a PostgreSQL server and its backends.
func childrenCPU(parent int) time.Duration {
	total := processCPU(parent)
	entries, err := filepath.Glob("/proc/[0-9]*")
	if err != nil {
		return total
	}
	for _, e := range entries {
		pid, err := strconv.Atoi(filepath.Base(e))
		if err != nil {
			continue
		}
		if ppid, cpu, ok := stat(pid); ok && ppid == parent {
			total += cpu
		}
	}
	return total
}

// stat reads parent and CPU time of a process; proc(5) has the fields.
func stat(pid int) (parent int, cpu time.Duration, ok bool) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, 0, false
	}
	end := bytes.LastIndexByte(text, ')') // the name may hold blanks
	if end < 0 {
		return 0, 0, false
	}
	fields := bytes.Fields(text[end+1:])
	if len(fields) < 13 {
		return 0, 0, false
	}
	parent, _ = strconv.Atoi(string(fields[1]))
	user, _ := strconv.ParseInt(string(fields[11]), 10, 64)
	system, _ := strconv.ParseInt(string(fields[12]), 10, 64)
	return parent, time.Duration(user+system) * time.Second / ticks, true
}
