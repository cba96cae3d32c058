// Formulas over three-valued structures, in the syntax of TVP. Values: 0, 1 (perhaps), 2 (true).
// A structure is {n: nodes, sm: [summary nodes], ac: [nodes that perhaps do not exist], p: {predicate: [[nodes..., value]]}}.
window.kleene = (function () {
  "use strict";
  const TOKEN = /\s*(?:(1\/2|0(?![\w.])|1(?![\w.]))|([A-Za-z_$][\w$.'@#~]*)|"([^"]+)"|(<->|->|==|!=|[!&|()?:,*+]))/y;
  const BINDING = { "<->": 1, "->": 2, "|": 3, "&": 4 };

  function tokens(text) {
    const list = [];
    const length = text.trimEnd().length;
    let at = 0;
    while (at < length) {
      TOKEN.lastIndex = at;
      const match = TOKEN.exec(text);
      if (!match) throw new Error("column " + (at + 1) + ": '" + text.slice(at).trim().slice(0, 8) + "' is not part of a formula");
      const column = at + match[0].length - match[0].trimStart().length + 1;
      at = TOKEN.lastIndex;
      if (match[1] !== undefined) list.push({ kind: "value", text: match[1], column });
      else if (match[2] !== undefined) {
        const end = afterBrackets(text, at);
        list.push({ kind: "name", text: match[2] + text.slice(at, end).replace(/\s/g, ""), column });
        at = end;
      } else if (match[3] !== undefined) list.push({ kind: "name", text: match[3], column });
      else list.push({ kind: "operator", text: match[4], column });
    }
    list.push({ kind: "end", text: "the end", column: length + 1 });
    return list;
  }
  // The end of the brackets that follow a name, as in r[t[n],x].
  function afterBrackets(text, at) {
    if (text[at] !== "[") return at;
    let depth = 0;
    for (let end = at; end < text.length; end++) {
      depth += (text[end] === "[") - (text[end] === "]");
      if (!depth) return end + 1;
    }
    throw new Error("column " + (at + 1) + ": ']' is missing");
  }

  function parse(text, arities) {
    const list = tokens(text);
    let position = 0;
    const current = () => list[position];
    const at = (...texts) => current().kind === "operator" && texts.includes(current().text);
    const fail = (what) => { throw new Error("column " + current().column + ": " + what + " expected, not " + current().text); };
    const expect = (token) => { if (!at(token)) fail("'" + token + "'"); position++; };
    function variables() {
      expect("(");
      const names = [];
      while (!at(")")) {
        if (current().kind !== "name") fail("a variable");
        names.push(list[position++].text);
        if (!at(")")) expect(",");
      }
      position++;
      return names;
    }
    function pair() {
      const names = variables();
      if (names.length !== 2) fail("two variables");
      return names;
    }
    function chain(loosest) {
      let left = unary();
      for (;;) {
        const operator = current().kind === "operator" ? current().text : "";
        const binding = BINDING[operator] || 0;
        if (binding < loosest) return left;
        position++;
        left = { kind: operator, left, right: chain(binding + 1) };
      }
    }
    function unary() {
      if (!at("!")) return primary();
      position++;
      return { kind: "!", body: unary() };
    }
    function primary() {
      const token = current();
      if (token.kind === "value") { position++; return { kind: "value", value: { "0": 0, "1/2": 1, "1": 2 }[token.text] }; }
      if (at("(")) {
        position++;
        const first = chain(1);
        if (at("?")) {
          position++;
          const then = chain(1);
          expect(":");
          const otherwise = chain(1);
          expect(")");
          return { kind: "?", test: first, then, otherwise };
        }
        expect(")");
        return first;
      }
      if (token.kind !== "name") fail("a formula");
      position++;
      if (token.text === "E" || token.text === "A") return { kind: token.text, variables: variables(), body: chain(1) };
      if (token.text === "TC") { const ends = pair(), over = pair(); return { kind: "TC", ends, over, body: chain(1) }; }
      if (at("==", "!=")) {
        const operator = list[position++].text;
        if (current().kind !== "name") fail("a variable");
        const equal = { kind: "==", left: token.text, right: list[position++].text };
        return operator === "==" ? equal : { kind: "!", body: equal };
      }
      if (at("*", "+")) {
        const operator = list[position++].text;
        const ends = pair();
        check(token, 2);
        const step = { kind: "atom", name: token.text, args: ["\u0000a", "\u0000b"] };
        const closure = { kind: "TC", ends, over: step.args, body: step };
        return operator === "+" ? closure : { kind: "|", left: { kind: "==", left: ends[0], right: ends[1] }, right: closure };
      }
      const args = variables();
      check(token, args.length);
      return { kind: "atom", name: token.text, args };
    }
    function check(token, arity) {
      if (!Object.hasOwn(arities, token.text)) throw new Error("column " + token.column + ": there is no predicate '" + token.text + "'");
      if (arities[token.text] !== arity)
        throw new Error("column " + token.column + ": '" + token.text + "' has " + arities[token.text] + " arguments, not " + arity);
    }
    const result = chain(1);
    if (current().kind !== "end") fail("an operator or the end");
    return result;
  }

  function freeVariables(f, bound = []) {
    switch (f.kind) {
      case "value": return [];
      case "atom": return f.args.filter((v) => !bound.includes(v));
      case "==": return [f.left, f.right].filter((v) => !bound.includes(v));
      case "!": return freeVariables(f.body, bound);
      case "E": case "A": return freeVariables(f.body, [...bound, ...f.variables]);
      case "TC": return [...f.ends.filter((v) => !bound.includes(v)), ...freeVariables(f.body, [...bound, ...f.over])];
      case "?": return [f.test, f.then, f.otherwise].flatMap((g) => freeVariables(g, bound));
      default: return [...freeVariables(f.left, bound), ...freeVariables(f.right, bound)];
    }
  }

  function table(structure) {
    if (!structure.table) {
      structure.table = new Map();
      for (const [name, rows] of Object.entries(structure.p))
        for (const row of rows) structure.table.set(name + "(" + row.slice(0, -1).join() + ")", row[row.length - 1]);
    }
    return structure.table;
  }

  // Free variables of the whole formula are quantified existentially: the formula describes some node.
  function evaluate(f, structure) {
    const values = table(structure);
    const active = Array.from({ length: structure.n }, (_, node) => ((structure.ac || []).includes(node) ? 1 : 2));
    const summary = new Set(structure.sm || []);
    function quantified(names, body, env, universal) {
      if (!names.length) return value(body, env);
      let result = universal ? 2 : 0;
      for (let node = 0; node < structure.n; node++) {
        const inner = quantified(names.slice(1), body, { ...env, [names[0]]: node }, universal);
        result = universal ? Math.min(result, Math.max(2 - active[node], inner)) : Math.max(result, Math.min(active[node], inner));
      }
      return result;
    }
    function closure(f, env) {
      const n = structure.n;
      const step = [];
      for (let a = 0; a < n; a++)
        for (let b = 0; b < n; b++) {
          const inner = value(f.body, { ...env, [f.over[0]]: a, [f.over[1]]: b });
          step.push(Math.min(inner, active[a], active[b]));
        }
      for (let k = 0; k < n; k++)
        for (let a = 0; a < n; a++)
          for (let b = 0; b < n; b++) {
            const through = Math.min(step[a * n + k], step[k * n + b]);
            if (through > step[a * n + b]) step[a * n + b] = through;
          }
      return step[env[f.ends[0]] * n + env[f.ends[1]]];
    }
    function value(f, env) {
      switch (f.kind) {
        case "value": return f.value;
        case "atom": return values.get(f.name + "(" + f.args.map((v) => env[v]).join() + ")") || 0;
        case "==": return env[f.left] !== env[f.right] ? 0 : summary.has(env[f.left]) ? 1 : 2;
        case "!": return 2 - value(f.body, env);
        case "&": return Math.min(value(f.left, env), value(f.right, env));
        case "|": return Math.max(value(f.left, env), value(f.right, env));
        case "->": return Math.max(2 - value(f.left, env), value(f.right, env));
        case "<->": { const a = value(f.left, env), b = value(f.right, env); return a === 1 || b === 1 ? 1 : a === b ? 2 : 0; }
        case "?": {
          const test = value(f.test, env), then = value(f.then, env), otherwise = value(f.otherwise, env);
          return test === 2 ? then : test === 0 ? otherwise : then === otherwise ? then : 1;
        }
        case "TC": return closure(f, env);
        default: return quantified(f.variables, f.body, env, f.kind === "A");
      }
    }
    const free = [...new Set(freeVariables(f))];
    return free.length ? quantified(free, f, {}, false) : value(f, {});
  }

  // The facts of a structure in words that do not depend on the numbers of its nodes: a node is called by the unary
  // predicates that hold for it. Facts with equal words are counted.
  function facts(structure) {
    const holds = Array.from({ length: structure.n }, () => []);
    for (const [name, rows] of Object.entries(structure.p))
      for (const row of rows) if (row.length === 2 && row[1] === 2) holds[row[0]].push(name);
    const names = holds.map((list, node) => "{" + (list.sort().join(", ") || "no predicate") + "}" + ((structure.sm || []).includes(node) ? "⁺" : ""));
    const count = new Map();
    const add = (text) => count.set(text, (count.get(text) || 0) + 1);
    names.forEach((name) => add("node " + name));
    for (const [name, rows] of Object.entries(structure.p))
      for (const row of rows) {
        if (name === "sm") continue;
        const args = row.slice(0, -1).map((node) => names[node]);
        const perhaps = row[row.length - 1] === 1;
        if (row.length !== 2 || perhaps) add(name + "(" + args.join(", ") + ")" + (perhaps ? " = 1/2" : ""));
      }
    return count;
  }

  return { parse, evaluate, facts };
})();
