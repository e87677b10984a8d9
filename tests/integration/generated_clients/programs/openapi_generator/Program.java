import com.google.gson.Gson;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import okhttp3.Call;
import okhttp3.MediaType;
import okhttp3.MultipartBody;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.RequestBody;
import okhttp3.Response;
import org.openapitools.client.ApiClient;
import org.openapitools.client.ApiException;
import org.openapitools.client.api.BatchesApi;
import org.openapitools.client.api.PdfToolsApi;
import org.openapitools.client.api.RendersApi;
import org.openapitools.client.api.TemplatesApi;
import org.openapitools.client.api.UploadsApi;
import org.openapitools.client.auth.HttpBearerAuth;
import org.openapitools.client.model.AnnouncedUpload;
import org.openapitools.client.model.Batch;
import org.openapitools.client.model.BatchItem;
import org.openapitools.client.model.BatchItemSpec;
import org.openapitools.client.model.BatchRequest;
import org.openapitools.client.model.BatchRequestItems;
import org.openapitools.client.model.DeliveryType;
import org.openapitools.client.model.HtmlInput;
import org.openapitools.client.model.HtmlInputText;
import org.openapitools.client.model.MergeRequest;
import org.openapitools.client.model.PdfFromHtml;
import org.openapitools.client.model.PdfFromHtmlText;
import org.openapitools.client.model.PdfSource;
import org.openapitools.client.model.PdfSourceUpload;
import org.openapitools.client.model.ProblemDetails;
import org.openapitools.client.model.PublishRequest;
import org.openapitools.client.model.Render;
import org.openapitools.client.model.RenderInput;
import org.openapitools.client.model.RenderRequest;
import org.openapitools.client.model.Template;
import org.openapitools.client.model.TemplateInput;
import org.openapitools.client.model.TemplateRequest;
import org.openapitools.client.model.Upload;
import org.openapitools.client.model.UploadRequest;

/** Use of the client that openapi-generator has generated. */
final class Program {
    private static final String HTML =
            "<!doctype html><html lang='en'><title>A page</title><h1>Hello";
    private final ApiClient client = new ApiClient();
    private final RendersApi renders = new RendersApi(client);
    private final TemplatesApi templates = new TemplatesApi(client);
    private final UploadsApi uploads = new UploadsApi(client);
    private final BatchesApi batches = new BatchesApi(client);

    private Program(String url, String key) {
        client.setBasePath(url);
        client.setReadTimeout(120_000);
        ((HttpBearerAuth) client.getAuthentication("bearer")).setBearerToken(key);
    }

    public static void main(String[] arguments) throws Exception {
        Map<String, String> variables = System.getenv();
        Program program = new Program(variables.get("PLATEN_URL"), variables.get("PLATEN_KEY"));
        System.out.println(new Gson().toJson(program.use(Path.of(variables.get("TARGET")))));
    }

    private Map<String, Object> use(Path target) throws Exception {
        Map<String, Object> found = new LinkedHashMap<>();
        File file = renders.createPdfFromHtml(
                new PdfFromHtml(new PdfFromHtmlText().html(HTML).delivery(DeliveryType.BINARY)),
                null, null);
        Files.move(file.toPath(), target, StandardCopyOption.REPLACE_EXISTING);

        HtmlInputText page = new HtmlInputText().type(HtmlInputText.TypeEnum.HTML).html(HTML);
        Render render = renders.createRender(
                new RenderRequest().input(new RenderInput(new HtmlInput(page))), null, null);
        found.put("render", render.getStatus().getValue());

        Template template = templates.createTemplate(
                new TemplateRequest().name("Letter").html("<h1>Dear {{ name }}"), null, null);
        found.put("version", templates.publishTemplateVersion(
                template.getId(), null, null, null, new PublishRequest()).getNumber());
        TemplateInput input = new TemplateInput()
                .type(TemplateInput.TypeEnum.TEMPLATE).templateId(template.getId());
        Render letter = renders.createRender(
                new RenderRequest().input(new RenderInput(input)).data(Map.of("name", "Ada")),
                null, null);
        found.put("letter", letter.getStatus().getValue());

        List<PdfSource> sources = new ArrayList<>();
        sources.add(new PdfSource(new PdfSourceUpload().uploadId(upload(target))));
        sources.add(new PdfSource(new PdfSourceUpload().uploadId(announce(target))));
        Render merged = new PdfToolsApi(client)
                .mergePdfs(new MergeRequest().sources(sources), null, null);
        found.put("merged_pages", merged.getPages());

        found.put("items", batch(template.getId()));
        try {
            renders.retrieveRender("rnd_unknown", null);
        } catch (ApiException answer) {
            found.put("problem", ProblemDetails.fromJson(answer.getResponseBody()).getCode());
        }
        return found;
    }

    /** Sends a file at once and returns the id of the upload. */
    private String upload(Path file) throws Exception {
        Map<String, String> headers = new HashMap<>();
        headers.put("Content-Type", "multipart/form-data");
        headers.put("Accept", "application/json");
        // The generator writes a method for one media type of the body, here JSON.
        Call call = client.buildCall(
                null, "/v1/uploads", "POST", List.of(), List.of(), null, headers,
                new HashMap<>(), Map.of("file", file.toFile()), new String[] {"bearer"}, null);
        return client.<Upload>execute(call, Upload.class).getData().getId();
    }

    /** Announces a file, sends it to where the answer says, and returns the id of the upload. */
    private String announce(Path file) throws Exception {
        UploadRequest request = new UploadRequest()
                .filename("b.pdf").contentType("application/pdf").bytes((int) Files.size(file));
        AnnouncedUpload announced =
                uploads.createUpload(request, null, null).getAnnouncedUpload();
        MultipartBody.Builder form = new MultipartBody.Builder().setType(MultipartBody.FORM);
        announced.getUpload().getFields().forEach(form::addFormDataPart);
        form.addFormDataPart(
                "file", "b.pdf", RequestBody.create(file.toFile(), MediaType.get("application/pdf")));
        Request sending = new Request.Builder()
                .url(announced.getUpload().getUrl()).post(form.build()).build();
        try (Response sent = new OkHttpClient().newCall(sending).execute()) {
            if (!sent.isSuccessful()) {
                throw new IllegalStateException(sent.body().string());
            }
        }
        return announced.getId();
    }

    /** Renders three items and returns how each has ended. */
    private List<String> batch(String template) throws Exception {
        List<BatchItemSpec> items = Stream.of("Ada", "Bea", "Cy")
                .map(name -> new BatchItemSpec().data(Map.of("name", name))).toList();
        Batch batch = batches.createBatch(
                new BatchRequest(new BatchRequestItems().templateId(template).items(items)),
                null, null);
        while (batch.getStatus() == Batch.StatusEnum.QUEUED
                || batch.getStatus() == Batch.StatusEnum.PROCESSING) {
            Thread.sleep(200);
            batch = batches.retrieveBatch(batch.getId(), null);
        }
        return batches.listBatchItems(batch.getId(), null, null, null, null).getData().stream()
                .map(BatchItem::getStatus).map(BatchItem.StatusEnum::getValue).toList();
    }
}
