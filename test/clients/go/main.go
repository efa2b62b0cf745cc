// Command clients runs the checks of the matrix with the Go client: program ASSIGNMENT
package main

import (
	"context"
	"encoding/json"
	"os"
	"runtime"
	"runtime/debug"

	"github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"
)

var background = context.Background()

func main() {
	var given shop
	if err := json.Unmarshal(must(os.ReadFile(os.Args[1])), &given.assignment); err != nil {
		panic(err)
	}
	print(object{"version": version(), "runtime": runtime.Version()})
	given.client = given.connected(given.Key)
	for _, name := range given.Checks {
		if reason, isMissing := unsupported[name]; isMissing {
			print(object{"check": name, "outcome": "unsupported", "reason": reason})
		} else if check, isKnown := checks[name]; isKnown {
			run(name, check, given)
		}
	}
}

// connected returns another client of the account.
func (given *shop) connected(key string) *azcosmos.Client {
	credential := must(azcosmos.NewKeyCredential(key))
	return must(azcosmos.NewClientWithKey(given.Endpoint, credential, nil))
}

// version returns the version of the client that this program was built with.
func version() string {
	build, _ := debug.ReadBuildInfo()
	for _, module := range build.Deps {
		if module.Path == "github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos" {
			return module.Version[1:]
		}
	}
	return ""
}
