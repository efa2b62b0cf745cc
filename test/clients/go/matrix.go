package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"reflect"
	"runtime/debug"
	"sort"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"
)

// object is an item as JSON.
type object = map[string]any

// queryCase is a query of the assignment, with the rows that must come back.
type queryCase struct {
	Check      string                    `json:"check"`
	Container  string                    `json:"container"`
	Query      string                    `json:"query"`
	Parameters []azcosmos.QueryParameter `json:"parameters"`
	Key        *string                   `json:"key"`
	Rows       []any                     `json:"rows"`
	IsOrdered  bool                      `json:"isOrdered"`
}

type assignment struct {
	Endpoint string      `json:"endpoint"`
	Key      string      `json:"key"`
	Checks   []string    `json:"checks"`
	Queries  []queryCase `json:"queries"`
}

// shop is what one check works with: a database of its own, and the client that created it.
type shop struct {
	assignment
	client   *azcosmos.Client
	database *azcosmos.DatabaseClient
}

// checks and unsupported have the rows of the matrix. Each file of checks registers its own.
var checks = map[string]func(*shop){}
var unsupported = map[string]string{}

// failure is the panic of a check that does not hold.
type failure struct{ reason string }

func fail(format string, values ...any) {
	panic(failure{fmt.Sprintf(format, values...)})
}

// must returns the answer of a call that must not fail.
func must[T any](answer T, err error) T {
	if err != nil {
		fail("%v", err)
	}
	return answer
}

// same compares values as JSON does, so that 1 and 1.0 are equal.
func same(found, expected any) {
	if !reflect.DeepEqual(asJSON(found), asJSON(expected)) {
		fail("found %s, expected %s", encoded(found), encoded(expected))
	}
}

func asJSON(value any) any {
	var decoded any
	_ = json.Unmarshal(encoded(value), &decoded)
	return decoded
}

func encoded(value any) []byte {
	return must(json.Marshal(value))
}

func decoded(text []byte) object {
	var item object
	if err := json.Unmarshal(text, &item); err != nil {
		fail("%q is not an item: %v", text, err)
	}
	return item
}

// refused demands that a call was refused with this status, and returns the error.
func refused[T any](status int) func(T, error) *azcore.ResponseError {
	return func(answer T, err error) *azcore.ResponseError {
		var refusal *azcore.ResponseError
		if !errors.As(err, &refusal) {
			fail("a call was not refused with %d: %v", status, err)
		}
		if refusal.StatusCode != status {
			fail("status %d, expected %d: %v", refusal.StatusCode, status, err)
		}
		return refusal
	}
}

func sorted(names []string) []string {
	sort.Strings(names)
	return names
}

func print(line object) {
	fmt.Println(string(encoded(line)))
}

// run runs one check in a database of its own, and prints its outcome.
func run(name string, check func(*shop), given shop) {
	defer func() {
		switch problem := recover().(type) {
		case nil:
			print(object{"check": name, "outcome": "ok"})
		case failure:
			print(object{"check": name, "outcome": "fails", "reason": problem.reason})
		default:
			fmt.Fprintf(os.Stderr, "%s: %v\n%s\n", name, problem, debug.Stack())
			print(object{"check": name, "outcome": "fails", "reason": fmt.Sprint(problem)})
		}
	}()
	must(given.client.CreateDatabase(background, azcosmos.DatabaseProperties{ID: name}, nil))
	given.database = must(given.client.NewDatabase(name))
	check(&given)
}
