// Prints the tokens of files as vscode-textmate sees them: node tokenise.js MODULES GRAMMAR SCOPE FILE...
"use strict";
const fs = require("fs");
const path = require("path");
const [, , modules, grammarFile, scope, ...files] = process.argv;
const { Registry, parseRawGrammar, INITIAL } = require(path.join(modules, "vscode-textmate"));
const oniguruma = require(path.join(modules, "vscode-oniguruma"));

async function main() {
  const wasm = fs.readFileSync(path.join(modules, "vscode-oniguruma", "release", "onig.wasm"));
  await oniguruma.loadWASM(wasm.buffer.slice(wasm.byteOffset, wasm.byteOffset + wasm.byteLength));
  const registry = new Registry({
    onigLib: Promise.resolve({
      createOnigScanner: (patterns) => new oniguruma.OnigScanner(patterns),
      createOnigString: (text) => new oniguruma.OnigString(text),
    }),
    loadGrammar: async () => parseRawGrammar(fs.readFileSync(grammarFile, "utf8"), grammarFile),
  });
  const grammar = await registry.loadGrammar(scope);
  const result = {};
  for (const file of files) {
    let stack = INITIAL;
    result[file] = fs.readFileSync(file, "utf8").split("\n").map((line) => {
      const done = grammar.tokenizeLine(line, stack);
      stack = done.ruleStack;
      return done.tokens.map((token) => [token.startIndex, token.endIndex, token.scopes.slice(1)]);
    });
  }
  console.log(JSON.stringify(result));
}
main();
