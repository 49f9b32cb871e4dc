# Everything a person does here, in one word each. What is more than a line lives in scripts/.
#
#   make run ARGS="tools"     what stands in ARGS is handed to the program

ARGS ?=

.DEFAULT_GOAL := help
.PHONY: run check test setup build install bench fuzz docs format clean help

run: ## build (release) and open Deskhand's web page; ARGS="…" is a command for it instead
	@scripts/setup.sh build
	@. scripts/env.sh && cargo run --release --locked --bin deskhand -- $(or $(ARGS),serve --open)

check: ## for every day: format, clippy, unit tests of what changed
	@scripts/check.sh

test: ## format, clippy, cargo-deny, doc tests, all tests
	@scripts/test.sh

setup: ## install what building, testing and measuring need, where it is missing
	@scripts/setup.sh build test bench
	@echo "Everything is here."

build: ## build the web page and the release binary (target/release/deskhand)
	@scripts/setup.sh build
	@. scripts/env.sh && cargo build --release --locked --bin deskhand

install: ## install the binary where cargo puts them (usually ~/.cargo/bin)
	@scripts/setup.sh build
	@. scripts/env.sh && cargo install --locked --path crates/deskhand

bench: ## measure (release build), against rg, fd and sed where they are peers
	@scripts/setup.sh build bench
	@. scripts/env.sh && cargo build --release --locked --bin deskhand
	@. scripts/env.sh && cargo run --release --locked -p deskhand-benches -- $(ARGS)

fuzz: ## look for a text that breaks the reader of commands, for a minute; ARGS="-max_total_time=600" for longer
	@scripts/setup.sh build fuzz
	@scripts/fuzz.sh $(ARGS)

docs: ## make the pages under docs/ anew that are made from the program
	@scripts/setup.sh build
	@. scripts/env.sh && UPDATE_DOCS=1 cargo test --locked --quiet -p deskhand --test whole reference_pages

format: ## format every Rust file
	@git ls-files -z --cached --others --exclude-standard '*.rs' | xargs -0 rustfmt --edition 2024

clean: ## remove what was built; the tools in .tools/ stay
	@. scripts/env.sh && cargo clean

help: ## this list
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-8s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)
