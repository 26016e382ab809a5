// SPDX-License-Identifier: Apache-2.0
package main

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"strconv"
	"time"
)

// podsOfAnApplication have what a pod template has in common, and follow one another.
const podsOfAnApplication = 5

// Templates are objects to load, in which words between percent signs stand for what differs:
//
//	%NAME%, %NODE%, %IP%      of this object
//	%HASH:salt%               64 hexadecimal digits of its own; %HASH:salt:10% the first ten
//	%TIME:salt%               a time of its own
//	%APP%, %APPHASH:salt%     the same for all five objects of an application
type templates []string

var word = regexp.MustCompile(`%([A-Z]+)(?::(\w+))?(?::(\d+))?%`)

// readTemplates reads a file that holds a list of objects.
func readTemplates(file string) (templates, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var objects []json.RawMessage
	if err := json.Unmarshal(text, &objects); err != nil {
		return nil, err
	}
	all := make(templates, len(objects))
	for i, object := range objects {
		all[i] = string(object)
	}
	return all, nil
}

// fill makes the object of this number; the same for the same number.
func (t templates) fill(number int) []byte {
	application := number / podsOfAnApplication
	return word.ReplaceAllFunc([]byte(t[application%len(t)]), func(found []byte) []byte {
		parts := word.FindSubmatch(found)
		return []byte(valueOf(string(parts[1]), string(parts[2]), string(parts[3]), number, application))
	})
}

func valueOf(kind, salt, length string, number, application int) string {
	switch kind {
	case "NAME":
		return nameOf(number)
	case "NODE":
		return strconv.Itoa(number % 250)
	case "IP":
		return fmt.Sprintf("10.%d.%d.%d", number>>16&255, number>>8&255, number&255)
	case "TIME":
		sum := sha256.Sum256(fmt.Appendf(nil, "%s %d", salt, number))
		begin := time.Date(2026, 10, 1, 0, 0, 0, 0, time.UTC)
		return begin.Add(time.Duration(int(sum[0])<<12|int(sum[1])<<4) * time.Second).Format(time.RFC3339)
	case "APP":
		return strconv.Itoa(application)
	case "APPHASH":
		return digits(salt, length, application)
	default:
		return digits(salt, length, number)
	}
}

func digits(salt, length string, number int) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%s of %d", salt, number))
	all := hex.EncodeToString(sum[:])
	if count, err := strconv.Atoi(length); err == nil {
		return all[:min(count, len(all))]
	}
	return all
}
