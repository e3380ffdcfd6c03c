// Uses the Go client of one reactor that openapi-generator has generated as the package generated.
//
//	main URL REACTOR
//
// Prints what it has counted; see openapi_python_client.py.
package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"reflect"
	"strings"
	"time"

	"generated"
)

const session = "openapi-generator-go"

var counts = map[string]int{"reactors": 1, "actions": 0, "responses": 0, "events": 0}

func expect(condition bool, text ...interface{}) {
	if !condition {
		fmt.Fprintln(os.Stderr, text...)
		os.Exit(1)
	}
}

func parse(text []byte) (value interface{}) {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	expect(decoder.Decode(&value) == nil, string(text))
	return
}

// isSame reports whether two JSON values have the same meaning: times may have another form, and null may be absent.
func isSame(left, right interface{}) bool {
	switch left := left.(type) {
	case map[string]interface{}:
		right, isObject := right.(map[string]interface{})
		for name, value := range right {
			if left[name] == nil && value != nil {
				return false
			}
		}
		for name, value := range left {
			if !isSame(value, right[name]) {
				return false
			}
		}
		return isObject
	case []interface{}:
		right, isArray := right.([]interface{})
		for index, value := range left {
			if index >= len(right) || !isSame(value, right[index]) {
				return false
			}
		}
		return isArray && len(left) == len(right)
	case string:
		right, _ := right.(string)
		first, failure := time.Parse(time.RFC3339Nano, left)
		second, other := time.Parse(time.RFC3339Nano, right)
		return left == right || failure == nil && other == nil && first.Equal(second)
	}
	return reflect.DeepEqual(left, right)
}

// read counts a response, which has to be decoded without a loss.
func read(name string, decoded interface{}, response *http.Response, failure error) {
	expect(failure == nil, name, failure)
	written, _ := io.ReadAll(response.Body)
	encoded, failure := json.Marshal(decoded)
	expect(failure == nil && isSame(parse(encoded), parse(written)), name, string(written), string(encoded))
	counts["responses"]++
}

func main() {
	url, name := os.Args[1], os.Args[2]
	configuration := generated.NewConfiguration()
	configuration.Servers = generated.ServerConfigurations{{URL: url}}
	api := generated.NewAPIClient(configuration).DefaultAPI
	background := context.Background()

	description, response, failure := api.DescribeReactor(background).Execute()
	read("describeReactor", description, response, failure)
	ensured := api.EnsureSession(background, session)
	if parameters := description.GetExampleParameters(); parameters != nil {
		var body generated.EnsuredSession
		text, _ := json.Marshal(map[string]interface{}{"parameters": parameters})
		expect(json.Unmarshal(text, &body) == nil, string(text))
		ensured = ensured.EnsuredSession(body)
	}
	state, response, failure := ensured.Execute()
	read("ensureSession", state, response, failure)

	for _, example := range description.GetExampleActions() {
		for _, action := range []interface{}{example, []interface{}{example}} {
			var actions generated.Actions
			text, _ := json.Marshal(action)
			failure := json.Unmarshal(text, &actions)
			expect(failure == nil, string(text), failure)
			encoded, _ := json.Marshal(actions)
			expect(isSame(parse(encoded), parse(text)), string(text), string(encoded))
			state, response, failure := api.RunActions(background, session).Actions(actions).Execute()
			if failure != nil {
				// A reactor may reject an action that it understands.
				problem, isProblem := failure.(*generated.GenericOpenAPIError).Model().(generated.Problem)
				expect(isProblem && problem.Type == "/problems/effect-failed", string(text), failure)
				counts["responses"]++
			} else {
				read("runActions", state, response, failure)
			}
			counts["actions"]++
		}
	}

	read1, response, failure := api.ReadSession(background, session).Execute()
	read("readSession", read1, response, failure)
	part, response, failure := api.ReadState(background, session).Execute()
	read("readState", part, response, failure)
	log, response, failure := api.ReadLog(background, session).Execute()
	read("readLog", log, response, failure)
	effects, response, failure := api.ListEffects(background, session).Execute()
	read("listEffects", effects, response, failure)
	timers, response, failure := api.ListTimers(background, session).Execute()
	read("listTimers", timers, response, failure)
	subscribers, response, failure := api.ListSubscribers(background, session).Execute()
	read("listSubscribers", subscribers, response, failure)
	sessions, response, failure := api.ListSessions(background).Execute()
	read("listSessions", sessions, response, failure)
	failures, response, failure := api.ListFailures(background).Execute()
	read("listFailures", failures, response, failure)

	response, failure = http.Get(url + "/v1/reactors/" + name + "/sessions/" + session + "/events")
	expect(failure == nil, failure)
	for lines := bufio.NewScanner(response.Body); lines.Scan(); {
		if text := strings.TrimPrefix(lines.Text(), "data:"); text != lines.Text() {
			// A value of the type that the actions return.
			event := reflect.New(reflect.TypeOf(state).Elem()).Interface()
			expect(json.Unmarshal([]byte(text), event) == nil, text)
			encoded, _ := json.Marshal(event)
			expect(isSame(parse(encoded), parse([]byte(text))), text, string(encoded))
			counts["events"]++
			break
		}
	}
	text, _ := json.Marshal(counts)
	fmt.Println(string(text))
}
