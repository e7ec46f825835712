#!/usr/bin/env bash
# Runs the contract scripts of Tests/OpScriptTests/Scripts with the command. The same as a part of `swift test`.
cd "$(dirname "$0")/.." && exec swift test --traits SharedLua,HTTP,Pictures,Dashboard,Journal --filter ContractScriptTests "$@"
