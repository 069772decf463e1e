// The journey with the client that oapi-codegen generated from the document in OpenAPI 3.0. Its argument is the address of the API.
package main

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"slices"
	"time"

	"journey/api"
)

var (
	ctx  = context.Background()
	plan = map[string]any{"v": 1, "steps": []any{map[string]any{"emit": "first"}, map[string]any{"emit": "second"}}}
)

func main() {
	key := func(_ context.Context, request *http.Request) error {
		request.Header.Set("Authorization", "Bearer plumbline-example-full")
		return nil
	}
	client, err := api.NewClientWithResponses(os.Args[1], api.WithRequestEditorFn(key))
	check(err)
	usePod(client)
	useEndpoint(client, "normal")
	name, workers := "go", 1
	body := api.EndpointCreate{TemplateId: "tpl-worker", Name: &name, GpuTypeIds: &[]string{"gpu-a"}, WorkersMax: &workers}
	created := must(client.CreateEndpointWithResponse(ctx, body))
	expect(created.StatusCode(), http.StatusOK)
	id := created.JSON200.Id
	useEndpoint(client, id)
	expect(must(client.DeleteEndpointWithResponse(ctx, id)).StatusCode(), http.StatusNoContent)
	expect(must(client.GetEndpointWithResponse(ctx, id)).JSON404.Error, "endpoint not found")
}

func usePod(client *api.ClientWithResponses) {
	body := api.PodCreate{Name: "go", Image: "alpine", Cpu: &api.CpuConfigRequest{Id: "cpu3c", VcpuCount: 2}}
	created := must(client.CreatePodWithResponse(ctx, body))
	expect(created.StatusCode(), http.StatusCreated)
	id := created.JSON201.Id
	status := func() api.PodStatus { return must(client.GetPodWithResponse(ctx, id)).JSON200.Status }
	until(status, api.RUNNING)
	stop := api.PodActionRequest{Action: api.Stop}
	expect(must(client.TriggerPodActionWithResponse(ctx, id, stop)).StatusCode(), http.StatusOK)
	until(status, api.EXITED)
	expect(must(client.DeletePodWithResponse(ctx, id)).StatusCode(), http.StatusNoContent)
}

func useEndpoint(client *api.ClientWithResponses, endpoint string) {
	input := map[string]any{"plumbline": plan}
	accepted := must(client.RunJobWithResponse(ctx, endpoint, api.JobSubmission{Input: input}))
	expect(accepted.StatusCode(), http.StatusOK)
	job := accepted.JSON200.Id
	until(func() api.JobStatus {
		return must(must(client.GetJobStatusWithResponse(ctx, endpoint, job)).JSON200.Status.AsJobStatus())
	}, api.JobStatusCOMPLETED)
	emitted := []any{}
	for _, item := range must(client.StreamJobWithResponse(ctx, endpoint, job)).JSON200.Stream {
		emitted = append(emitted, item.Output)
	}
	expect(slices.Equal(emitted, []any{"first", "second"}), true)
}

func until[T comparable](read func() T, wanted T) {
	var seen T
	for range 100 {
		if seen = read(); seen == wanted {
			return
		}
		time.Sleep(200 * time.Millisecond)
	}
	expect(seen, wanted)
}

func expect[T comparable](seen, wanted T) {
	if seen != wanted {
		panic(fmt.Sprintf("%v instead of %v", seen, wanted))
	}
}

func must[T any](value T, err error) T {
	check(err)
	return value
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}
