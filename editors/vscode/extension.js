// Starts `kleene lsp` and connects the editor with it.
"use strict";
const { workspace } = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");

let client;

function activate() {
  const settings = workspace.getConfiguration("kleene");
  const server = { command: settings.get("command"), args: ["lsp"] };
  const options = {
    documentSelector: ["tvp", "tvs", "c"].map((language) => ({ scheme: "file", language })),
    initializationOptions: { timeout: settings.get("timeout"), options: settings.get("options") },
  };
  client = new LanguageClient("kleene", "Kleene", server, options);
  return client.start();
}

function deactivate() {
  return client ? client.stop() : undefined;
}

module.exports = { activate, deactivate };
