// Search on a page that is opened as a file: browsers start no workers there, so the script of the search runs in a frame.
if (location.protocol === "file:")
  window.Worker = class extends EventTarget {
    constructor(url) {
      super();
      this.waiting = [];
      this.frame = document.createElement("iframe");
      this.frame.hidden = true;
      this.frame.srcdoc = "<!DOCTYPE html><html><head></head><body></body></html>";
      window.addEventListener("message", (event) => {
        if (event.source !== this.frame.contentWindow) return;
        this.dispatchEvent(new MessageEvent("message", { data: event.data }));
      });
      this.frame.addEventListener("load", () => this.start(url), { once: true });
      document.body.append(this.frame);
    }
    start(url) {
      const inner = this.frame.contentWindow;
      const outer = window;
      inner.postMessage = (data) => outer.dispatchEvent(new MessageEvent("message", { data, source: inner }));
      inner.importScripts = (...names) => Promise.all(names.map((name) => this.load(name)));
      this.load(url).then(() => {
        this.ready = true;
        for (const data of this.waiting.splice(0)) this.postMessage(data);
      });
    }
    load(url) {
      return new Promise((resolve, reject) => {
        const script = this.frame.contentDocument.createElement("script");
        script.src = new URL(url, document.baseURI).href;
        script.onload = resolve;
        script.onerror = reject;
        this.frame.contentDocument.body.append(script);
      });
    }
    postMessage(data) {
      if (!this.ready) this.waiting.push(data);
      else this.frame.contentWindow.dispatchEvent(new MessageEvent("message", { data }));
    }
    terminate() {
      this.frame.remove();
    }
  };
