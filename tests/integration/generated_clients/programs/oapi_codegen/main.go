// Use of the client that oapi-codegen has generated as the package `platen`.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"mime/multipart"
	"net/http"
	"os"
	"time"

	"generated/platen"
)

const html = "<!doctype html><html lang='en'><title>A page</title><h1>Hello"

// results is what the operations have answered.
type results struct {
	Render      platen.RenderStatus      `json:"render"`
	Version     int                      `json:"version"`
	Letter      platen.RenderStatus      `json:"letter"`
	MergedPages *int                     `json:"merged_pages"`
	Items       []platen.BatchItemStatus `json:"items"`
	Problem     string                   `json:"problem"`
}

func main() {
	key := os.Getenv("PLATEN_KEY")
	client := taken(platen.NewClientWithResponses(
		os.Getenv("PLATEN_URL"),
		platen.WithRequestEditorFn(func(_ context.Context, request *http.Request) error {
			request.Header.Set("Authorization", "Bearer "+key)
			return nil
		}),
	))
	taken(os.Stdout.Write(taken(json.Marshal(use(client, os.Getenv("TARGET"))))))
}

func use(client *platen.ClientWithResponses, target string) (found results) {
	ctx := context.Background()

	delivery := platen.DeliveryTypeBinary
	var page platen.PdfFromHtml
	check(page.FromPdfFromHtmlText(platen.PdfFromHtmlText{Html: html, Delivery: &delivery}))
	file := taken(client.CreatePdfFromHtmlWithResponse(ctx, nil, page))
	check(os.WriteFile(target, file.Body, 0o600))

	var document platen.HtmlInput
	check(document.FromHtmlInputText(platen.HtmlInputText{Type: platen.HtmlInputTextTypeHtml, Html: html}))
	var input platen.RenderInput
	check(input.FromHtmlInput(document))
	render := taken(client.CreateRenderWithResponse(ctx, nil, platen.RenderRequest{Input: input}))
	found.Render = render.JSON200.Status

	text := "<h1>Dear {{ name }}"
	request := platen.TemplateRequest{Name: "Letter", Html: &text}
	template := taken(client.CreateTemplateWithResponse(ctx, nil, request)).JSON201
	published := taken(client.PublishTemplateVersionWithResponse(ctx, template.Id, nil, platen.PublishRequest{}))
	found.Version = published.JSON201.Number
	check(input.FromTemplateInput(platen.TemplateInput{Type: platen.TemplateInputTypeTemplate, TemplateId: template.Id}))
	data := map[string]any{"name": "Ada"}
	letter := taken(client.CreateRenderWithResponse(ctx, nil, platen.RenderRequest{Input: input, Data: &data}))
	found.Letter = letter.JSON200.Status

	sources := make([]platen.PdfSource, 2)
	for i, id := range []string{upload(ctx, client, file.Body), announce(ctx, client, file.Body)} {
		check(sources[i].FromPdfSourceUpload(platen.PdfSourceUpload{UploadId: id}))
	}
	merged := taken(client.MergePdfsWithResponse(ctx, nil, platen.MergeRequest{Sources: sources}))
	found.MergedPages = merged.JSON200.Pages

	found.Items = batch(ctx, client, template.Id)

	missing := taken(client.RetrieveRenderWithResponse(ctx, "rnd_unknown", nil))
	found.Problem = missing.ApplicationproblemJSON404.Code
	return found
}

// upload sends a file at once and returns its id.
func upload(ctx context.Context, client *platen.ClientWithResponses, file []byte) string {
	form, contentType := formOf(map[string]string{}, file)
	answer := taken(client.CreateUploadWithBodyWithResponse(ctx, nil, contentType, form))
	return taken(answer.JSON201.AsUpload()).Id
}

// announce sends a file to where the answer to its announcement says, and returns its id.
func announce(ctx context.Context, client *platen.ClientWithResponses, file []byte) string {
	contentType := "application/pdf"
	request := platen.UploadRequest{Filename: "b.pdf", ContentType: &contentType, Bytes: len(file)}
	answer := taken(client.CreateUploadWithResponse(ctx, nil, request))
	announced := taken(answer.JSON201.AsAnnouncedUpload())
	form, formType := formOf(announced.Upload.Fields, file)
	sent := taken(http.Post(announced.Upload.Url, formType, form))
	if sent.StatusCode >= 300 {
		log.Panic(sent.Status)
	}
	return announced.Id
}

// formOf returns a form with fields and then a file, and its content type.
func formOf(fields map[string]string, file []byte) (io.Reader, string) {
	var form bytes.Buffer
	writer := multipart.NewWriter(&form)
	for name, value := range fields {
		check(writer.WriteField(name, value))
	}
	taken(taken(writer.CreateFormFile("file", "a.pdf")).Write(file))
	check(writer.Close())
	return &form, writer.FormDataContentType()
}

// batch renders three items and returns how each has ended.
func batch(ctx context.Context, client *platen.ClientWithResponses, template string) (ends []platen.BatchItemStatus) {
	var items []platen.BatchItemSpec
	for _, name := range []string{"Ada", "Bea", "Cy"} {
		data := map[string]any{"name": name}
		items = append(items, platen.BatchItemSpec{Data: &data})
	}
	var request platen.BatchRequest
	check(request.FromBatchRequestItems(platen.BatchRequestItems{TemplateId: template, Items: items}))
	batch := taken(client.CreateBatchWithResponse(ctx, nil, request)).JSON202
	for batch.Status == platen.BatchStatusQueued || batch.Status == platen.BatchStatusProcessing {
		time.Sleep(200 * time.Millisecond)
		batch = taken(client.RetrieveBatchWithResponse(ctx, batch.Id, nil)).JSON200
	}
	for _, item := range taken(client.ListBatchItemsWithResponse(ctx, batch.Id, nil)).JSON200.Data {
		ends = append(ends, item.Status)
	}
	return ends
}

func taken[T any](value T, err error) T {
	check(err)
	return value
}

func check(err error) {
	if err != nil {
		log.Panic(fmt.Errorf("using the client: %w", err))
	}
}
