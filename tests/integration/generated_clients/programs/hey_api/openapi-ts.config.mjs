// Node reads modules by their whole names.
export default {
  input: "openapi.json",
  output: { path: "client", importFileExtension: ".js" },
  plugins: ["@hey-api/client-fetch", "@hey-api/sdk", "@hey-api/typescript"],
};
