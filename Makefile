# Platen: every command of the project. `make help` lists them.
PORT ?= 8700
HOST ?= 127.0.0.1
PY := .venv/bin/python
.DEFAULT_GOAL := help
.PHONY: help setup setup-checks setup-tests run serve up down demo gallery fmt check test bench figures openapi docs lock package deploy destroy

help: ## list the commands
	@sed -n 's/^\([a-z]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | expand -t 10

setup: ## install everything that is missing into folders of this project
	@sh infra/setup/setup.sh

setup-checks:
	@sh infra/setup/setup.sh --checks

setup-tests:
	@sh infra/setup/setup.sh --tests

run: setup ## start the stack, render the invoice into out/, serve until Ctrl-C (PORT=8700 ARGS=--logs, ARGS=--json)
	@exec $(PY) -m infra.local up --port $(PORT) --tied --render out $(ARGS)

serve: setup ## serve from a folder that keeps everything (DATA=dir PORT=8700 HOST=127.0.0.1 ARGS=--logs, ARGS=--json)
	@exec $(PY) -m infra.serve --data "$(or $(DATA),$(error name the folder of the data: make serve DATA=dir))" --port $(PORT) --host $(HOST) $(ARGS)

up: setup ## start the stack in the background; returns when it serves
	@$(PY) -m infra.local up --port $(PORT) --background $(ARGS)

down: ## stop what `make up` started
	@$(PY) -m infra.local down

demo: setup ## render the documents of examples/ into out/, by the running service or by one for the moment
	@$(PY) -m infra.local demo --port $(PORT) --out out

gallery: setup ## the same with a picture of each page, into out/gallery/index.html and sheet.png
	@$(PY) -m infra.local gallery --port $(PORT)

fmt: setup ## format the code and fix what can be fixed
	@.venv/bin/ruff format .
	@.venv/bin/ruff check --fix .

check: setup-checks ## lint, prose, types, import rules, unit and architecture tests
	@$(PY) -m infra.suite check

test: setup-tests ## run all checks, and a slice of the tests (ALL=1: all of them, and the package on LocalStack)
	@$(PY) -m infra.suite test $(if $(ALL),--breadth)

bench: setup ## list the benchmarks, or run one (NAME=latency)
	@$(PY) -m infra.bench $(NAME)

figures: setup ## print the figures of the code's structure
	@$(PY) -m infra.figures

openapi: setup ## write infra/openapi.json and the tables of docs/ from the declarations
	@$(PY) -m infra.openapi
	@$(PY) -m infra.guides.tables

docs: setup ## build the guides as static pages into build/guides (API_HOST=… links to the reference of that service)
	@API_HOST="$(API_HOST)" .platen/properdocs/bin/properdocs build --strict --config-file infra/guides/site/properdocs.yml
	@echo "build/guides/index.html"

lock: ## pin again what pyproject.toml and the other lists ask for
	@sh infra/setup/lock.sh

package: setup ## build everything that is deployed into build/, check it, and lint both forms of the template
	@$(PY) -m infra.package build

deploy: setup ## build and deploy to the AWS account of the environment (STAGE=production API_HOST=… FILES_HOST=… EGRESS_ALLOW=… TRUSTED_PROXIES=… TENANCY=isolated|shared)
	@$(PY) -m infra.deploy up --stage "$(STAGE)" --api-host "$(API_HOST)" --files-host "$(FILES_HOST)"

destroy: setup ## delete a deployed stack; says what is kept and how to remove it (STAGE=production)
	@$(PY) -m infra.deploy down --stage "$(STAGE)"
