# make lists the targets.
.DEFAULT_GOAL := help
.PHONY: help run build web web-left-out dist test lint deps unit test-e2e test-race test-upgrade test-files test-full test-pooler test-clock test-measured test-marc marc-records check-web test-chromium test-chromium-more test-web test-firefox test-faults test-litestream test-oidc-provider test-scim test-keycloak test-deploy test-packages fuzz bench bench-versions bench-peers bench-large cover man screenshots

GO ?= go
FUZZTIME ?= 20s

# What is checked and tested is compiled as what is published: without C. So each package is compiled once.
# The race detector needs C.
export CGO_ENABLED ?= 0
test-race: export CGO_ENABLED = 1

# SQLite is C that was translated to Go, and nearly all of its data is in memory that Go does not manage, in which the
# race detector finds nothing. Looking there took most of its time. The driver, which is Go, is looked at.
C := modernc.org/sqlite/lib modernc.org/libc modernc.org/memory
test-race: export GOFLAGS += $(C:%=-gcflags=%=-race=false)

# When a package has ended, nothing more can happen in it: by itself the detector waits for a second.
test-race: export GORACE = atexit_sleep_ms=0

# Garbage is collected a quarter as often, which takes more memory and a tenth less time. The targets that test or measure
# the program as people run it have the usual setting.
lint unit test-race test-pooler: export GOGC ?= 400

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-14s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

run: build ## run everything on this machine, with sample users and books
	./bin/library demo

build: $(if $(shell command -v npm),web,web-left-out) ## build bin/library, with the browser client in it
	$(GO) build -ldflags '-X main.builtVersion=$(or $(VERSION),$(shell ./scripts/version 2>/dev/null))' -o bin/library ./cmd/library

# Folders are among the sources, so that a file that is gone is noticed.
WEB_SOURCES := $(shell find web/src web/public) $(wildcard web/*.html web/*.json web/svelte.config.* web/vite.config.*)

web: web/dist/index.html ## build the browser client (needs Node 20 or newer)

web/dist/index.html: $(WEB_SOURCES) web/node_modules/.installed
	cd web && npm run --silent build

web/node_modules/.installed: web/package-lock.json
	cd web && npm ci --ignore-scripts --no-audit --no-fund --loglevel=error
	cp $< $@

# Packages name who made them and where: MAINTAINER='Name <address>', HOMEPAGE=https://…
dist: web ## archives for six platforms, or PLATFORM=linux/amd64, packages and checksums, into build/dist
	cd packaging && $(GO) run . -out ../build/dist -only '$(PLATFORM)' -version '$(VERSION)' -maintainer '$(MAINTAINER)' -homepage '$(HOMEPAGE)'

web-left-out:
	@echo "There is no npm here, so the browser client is left out; with Node 20 or newer, make web builds it."

screenshots: build # the pictures in the README
	cd web && node scripts/screenshots.mjs

man: build ## write the manual pages into build/man
	./bin/library man build/man

# Linters find the same on every machine, so they are not among the tests: run make lint before a commit, as .ci/run does.
test: ## everything once: unit, conformance, contract, end to end, Chromium
	@./scripts/steps deps build test-e2e,test-chromium+unit,check-web

# Vet runs here once, with all of its checks, and not again with each package's tests. The modules in folders
# of their own are vetted where they are tested: most of their dependencies nothing else has.
lint: ## gofmt, vet, staticcheck, plain English in comments (part of .ci/run)
	@unformatted=$$(gofmt -l $$(git ls-files '*.go')); \
	if [ -n "$$unformatted" ]; then echo "not gofmt clean:"; echo "$$unformatted"; exit 1; fi
	$(GO) vet ./...
	$(GO) vet -tags keycloak ./e2e/keycloak
	$(GO) vet -tags patroni,litestream ./e2e/deploy
	$(GO) tool staticcheck ./...
	@$(GO) run ./scripts/english

deps: ## install what the tests need beside Go
	@./scripts/install-test-deps

# Without debug information (-w), a package of tests is compiled and linked in an eighth less time.
GOTEST := $(GO) run ./scripts/gotest -vet=off -ldflags=-w

# The package that takes longest starts first. Tests wait more than they compute, so more of them run at once
# than there are processors.
LONGEST := ./sqlstore ./httpapi ./sqlstore/booksearch ./backup

# Through a pooler the rules of stores are the same: .ci/run runs them there.
unit: # all packages but those that run the program
	@./scripts/in-memory $(GOTEST) -parallel 4 -timeout 60m -skip '^TestStoreThroughAPooler$$|^TestMeasured' $(LONGEST) $$($(GO) list ./... | grep -v -e /bench -e /e2e)

# Browsers that open pages for a minute.
BROWSERS := ^TestIDPWithACertifiedClientAndABrowser$$|^TestMailsFitAndLoadNothingInABrowser$$

test-e2e: # the program in processes of its own
	@./scripts/in-memory $(GOTEST) -count=1 -timeout 60m -skip '^TestMeasured|$(BROWSERS)' ./e2e

# Of large packages the race detector runs the tests that do several things at once (scripts/concurrent), and of stores
# the rules about concurrent callers (storetest/race_on.go). These are left to the other targets: programs of others, files,
# measurements, and what one caller does for long.
RACE_SKIP := Measured|Plan|Migrat|Older|Script|Terminal|Completion|Transcript|Foreign|Certified|ThroughAPooler|Schema|LoansAreKept|NoValueOfACaller|ALongTableIs|ManyMissedEvents|AnAnswerReachesThoseWho|EveryListenerAnswers|EveryCharacterOfABarcode|AnImportThatBreaksOff|ContractAnd|TheDrill|AFullDisk|Backup|Restore|RepeatedRequests|ACoverIsSet|MayDoThreeThings|HelpLists|SettingsPage|Systemd|ScaledDown|LostInScaling|ScalingBefore
RACE_LARGE := ./e2e ./sqlstore ./httpapi ./backup ./cmd/library

test-race: ## what happens at once, under the race detector (part of .ci/run)
	@failed=0; race="./scripts/in-memory $(GOTEST) -race -parallel 4 -timeout 30m -skip $(RACE_SKIP)"; \
	$$race -run "^TestStore$$|$$(./scripts/concurrent tests $(RACE_LARGE))" $(RACE_LARGE) || failed=1; \
	$$race $$(./scripts/concurrent packages) || failed=1; \
	exit $$failed

test-upgrade: ## the program of the last version beside this one, on one database (part of .ci/run)
	@$(GOTEST) -count=1 -timeout 15m ./e2e/upgrade

test-files: web ## the files in deploy/ with the programs that read them, certificates by ACME, spreadsheets in LibreOffice (part of .ci/run)
	@$(GOTEST) -count=1 -timeout 10m ./e2e/deploy
	cd deploy/check && $(GO) vet ./... && $(GO) test -vet=off -count=1 ./... # the files that it reads are outside of its module
	cd e2e/acme && $(GO) vet ./... && $(GO) test -vet=off -count=1 -timeout 10m ./... # so is the program
	@./scripts/install-test-deps libreoffice-calc-nogui
	cd e2e/sheets && $(GO) vet ./... && $(GO) test -vet=off -count=1 -timeout 10m ./...

# The rules of stores and the tests of which make test does a part or nothing. Programs wait for each other while
# stores compute, so the packages run beside each other.
FULL := TwoHundred|StillSending|$(BROWSERS)|^TestStore$$/.*/(follow|brute.force|long.books|the.model.says|words.begin.so)

test-full: ## in full what make test does a part of (part of .ci/run)
	@TEST_FULL=1 ./scripts/in-memory $(GOTEST) -count=1 -parallel 4 -timeout 30m -run '$(FULL)' ./sqlstore ./e2e ./sqlstore/booksearch

test-pooler: ## the rules of stores through a pooler (part of .ci/run)
	@./scripts/in-memory $(GOTEST) -count=1 -parallel 4 -timeout 30m -run '^TestStoreThroughAPooler$$' ./sqlstore

# Packages whose tests depend on the time of day, and some of their tests at random: TESTS=0 for all. Rules of stores have a
# clock of their own, and pg_dump has the real one.
CLOCK := . ./signin ./auth/... ./backup ./cli/... ./client ./devidp ./housekeeping ./httpapi/... ./internal/calendar ./internal/icalendar ./lookup ./mail/... ./notice ./profile ./userimport ./service ./sqlstore ./sqlstore/outbox ./statistics ./webhook

test-clock: ## tests during which a day or a year begins: MOMENT=quarter, or one at random (part of .ci/run)
	@./scripts/in-memory $(GO) run ./scripts/testclock -moment '$(MOMENT)' -seed $(or $(SEED),0) -tests $(or $(TESTS),80) -lead $(or $(LEAD),0) \
		-run '$(RUN)' -skip 'Measured|^TestStore(ThroughAPooler)?$$|^TestABackupSaysFromWhenItIs$$' $(or $(PACKAGES),$(CLOCK))

MARC_RECORDS := build/marc/BooksAll.2016.part01.utf8

marc-records: $(MARC_RECORDS) # 250,000 real records, of which make test-measured reads 25,000

$(MARC_RECORDS):
	@./scripts/fetch-marc-records $@

test-marc: $(MARC_RECORDS) ## compare, import and import again all 250,000 real records, on both databases (takes minutes)
	@TEST_MARC_RECORDS=250000 $(GOTEST) -count=1 -v -timeout 2h -run '^TestMeasured.*Records' ./internal/marc ./e2e

test-measured: build $(MARC_RECORDS) ## what measures (part of .ci/run)
	@TEST_FULL=1 $(GOTEST) -count=1 -timeout 30m -run '^TestMeasured' ./e2e
	@$(GOTEST) -count=1 -timeout 10m -run '^TestMeasured' ./internal/marc
	@$(GOTEST) -timeout 10m ./bench
	cd web && TEST_BOOKS=2000 node_modules/.bin/playwright test --project=measured

test-web: check-web test-chromium ## the browser client

check-web: web # types, units, size
	cd web && npm run --silent schema -- --check
	cd web && npm run --silent check && npm test --silent && npm run --silent budget

# What would be missed first, and the ways that people go most. The rest is as good, and takes longer.
CORE := @core|@everywhere

test-chromium: build # a browser against the program
	cd web && ../scripts/in-memory node_modules/.bin/playwright test --project chromium --grep '$(CORE)'

test-chromium-more: build ## the other tests of the browser client in Chromium (part of .ci/run)
	cd web && ../scripts/in-memory node_modules/.bin/playwright test --project chromium --grep-invert '$(CORE)'

test-firefox: build ## what readers, curators and admins do, in Firefox (part of .ci/run)
	cd web && ../scripts/in-memory node_modules/.bin/playwright test --project firefox

test-faults: deps ## break the service on purpose: databases, networks, processes, crowds (part of .ci/run)
	@$(GOTEST) -count=1 -v -parallel 6 -timeout 15m ./e2e/faults

test-litestream: ## replicate a library with Litestream, which is built here, and restore it (part of .ci/run)
	@$(GOTEST) -tags litestream ./e2e/deploy -count=1 -timeout 20m -run Litestream

test-oidc-provider: build e2e/oidcprovider/node_modules/.installed ## bound tokens and logout tokens of node's oidc-provider (part of .ci/run)
	cd e2e/oidcprovider && node --test

e2e/oidcprovider/node_modules/.installed: e2e/oidcprovider/package-lock.json
	cd e2e/oidcprovider && npm ci --ignore-scripts --no-audit --no-fund --loglevel=error
	cp $< $@

test-scim: deps build ## SCIM 2.0 with scim2-tester, a suite of others (part of .ci/run)
	@./scripts/test-scim

test-keycloak: deps web ## the end-to-end suite behind a real Keycloak and mock-oauth2-server (not part of make test; needs Java and Maven)
	@./scripts/test-keycloak

test-deploy: ## the container image, built and run, and a failover of PostgreSQL under Patroni (not part of make test; needs root)
	@./scripts/install-test-deps buildah ca-certificates patroni etcd-server
	deploy/container/test
	$(GO) test -tags patroni ./e2e/deploy -count=1 -v -timeout 10m -run Patroni

# What make dist makes for other systems compiles; what it makes for this one is tried.
test-packages: web ## read packages back, and install, start, upgrade and remove them under systemd (part of .ci/run; needs root)
	GOOS=windows $(GO) build -o /dev/null ./cmd/library
	GOOS=darwin $(GO) build -o /dev/null ./cmd/library
	@./scripts/install-test-deps systemd curl iproute2 procps rpm
	cd packaging && $(GO) vet ./... && $(GO) test -vet=off -count=1 -timeout 15m ./...

fuzz: ## run every fuzz target for FUZZTIME (default 20s)
	@./scripts/fuzz $(FUZZTIME)

bench: ## compare with bare net/http and a hand-written service, as ratios
	$(GO) test ./bench -count=1 -v -timeout 30m -run Compared -rounds 7 -period 1s -books 100000

bench-versions: ## compare with another build of the program (BEFORE=FILE), by alternating load
	$(GO) test ./bench -count=1 -v -timeout 60m -run Versions -before "$(abspath $(BEFORE))" -rounds 70 -period 150ms

bench-peers: ## compare with Fastify and PocketBase, which are fetched and built (takes minutes)
	$(GO) test ./bench -count=1 -v -timeout 30m -run Peers -peers -rounds 5 -period 1s -books 100000

bench-large: ## growth from 10,000 to 1,000,000 books (takes minutes)
	$(GO) test ./bench -count=1 -v -timeout 60m -run Growth -large

cover: ## test coverage by package
	$(GO) test -cover ./...
