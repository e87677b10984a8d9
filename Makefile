# Platen: every command of the project. `make help` lists them.
PORT ?= 8700
PY := .venv/bin/python
# Each folder of integration tests runs by itself, so that what it has started ends with it; the
# longest first, two at a time.
LONGEST := crash engine faults templating local deployed validators limits package
FOLDERS := $(LONGEST) $(filter-out $(LONGEST) __pycache__,$(patsubst tests/integration/%/,%,$(wildcard tests/integration/*/)))
.DEFAULT_GOAL := help
.PHONY: help setup setup-tests run up down demo gallery fmt check test bench figures openapi lock package deploy destroy

help: ## list the commands
	@sed -n 's/^\([a-z]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | expand -t 10

setup: ## install everything that is missing into folders of this project
	@sh infra/setup/setup.sh

setup-tests:
	@sh infra/setup/setup.sh --tests

run: setup ## start the stack, render the examples into out/, serve until Ctrl-C (PORT=8700 ARGS=--json)
	@exec $(PY) -m infra.local up --port $(PORT) --tied --render out $(ARGS)

up: setup ## start the stack in the background; returns when it serves
	@$(PY) -m infra.local up --port $(PORT) --background $(ARGS)

down: ## stop what `make up` started
	@$(PY) -m infra.local down

demo: ## start, render the examples into out/, stop (ALL=1: also those kept as templates)
	@$(MAKE) --no-print-directory up
	@$(PY) -m infra.local demo --out out $(if $(ALL),--all); status=$$?; $(PY) -m infra.local down; exit $$status

gallery: setup ## render the documents of examples/gallery into out/gallery/index.html
	@$(MAKE) --no-print-directory up
	@$(PY) -m infra.local gallery; status=$$?; $(PY) -m infra.local down; exit $$status

fmt: setup ## format the code and fix what can be fixed
	@.venv/bin/ruff format .
	@.venv/bin/ruff check --fix .

check: setup ## lint, types, import rules, unit and architecture tests
	.venv/bin/ruff check .
	.venv/bin/ruff format --check .
	.venv/bin/mypy .
	.venv/bin/lint-imports
	.venv/bin/pytest -q --tb=short -n auto tests/unit tests/architecture

test: setup-tests ## check, functional and integration tests, and the package, side by side
	@$(MAKE) --no-print-directory -j2 --output-sync=target check package
	.venv/bin/pytest -q --tb=short -n auto --dist worksteal tests/functional
	@$(MAKE) --no-print-directory -j2 --keep-going --output-sync=target $(FOLDERS:%=test-%)

# The matrix keeps both cores busy; the other cases mostly wait for what is tried again.
test-crash:
	.venv/bin/pytest -q --tb=short -m integration tests/integration/crash/test_matrix.py
	.venv/bin/pytest -q --tb=short -m integration -n 3 --dist loadfile tests/integration/crash --ignore=tests/integration/crash/test_matrix.py

test-%:
	.venv/bin/pytest -q --tb=short -m integration tests/integration/$*

bench: setup ## run a benchmark (NAME=latency)
	@$(PY) -m infra.bench $(NAME)

figures: setup ## print the figures of the code's structure
	@$(PY) -m infra.figures

openapi: setup ## write infra/openapi.json from the declarations
	@$(PY) -m infra.openapi

lock: ## pin again what pyproject.toml and the other lists ask for
	@sh infra/setup/lock.sh

package: setup ## build everything that is deployed into build/, check it, and lint both forms of the template
	@$(PY) -m infra.package build

deploy: setup ## build and deploy to the AWS account of the environment (STAGE=production API_HOST=… FILES_HOST=… EGRESS_ALLOW=… TENANCY=isolated|shared)
	@$(PY) -m infra.deploy up --stage "$(STAGE)" --api-host "$(API_HOST)" --files-host "$(FILES_HOST)"

destroy: setup ## delete a deployed stack; says what is kept and how to remove it (STAGE=production)
	@$(PY) -m infra.deploy down --stage "$(STAGE)"
