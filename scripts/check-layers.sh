#!/usr/bin/env bash
# The layers of docs/architecture.md, as far as the compiler does not enforce them: allowed imports, and the code that may
# raise.
set -euo pipefail
cd "$(dirname "$0")/.."

status=0
forbid() {  # the rule, then the matches
    if [ -n "$2" ]; then
        printf 'check-layers: %s\n%s\n' "$1" "$2" >&2
        status=1
    fi
}

modifiers='^[[:space:]]*((public|package|internal|fileprivate|private|@[A-Za-z_]+)[[:space:]]+)*import[[:space:]]+'
forbid "Foundation stays out of the scheduler, the Lua layer, the engine and the works" \
    "$(grep -rnE "${modifiers}Foundation(Essentials)?\b" Sources/Scheduling Sources/LuaVM Sources/OpScript Sources/OpScriptRecord Sources/OpScriptWorks Sources/OpScriptScenarios Sources/OpScriptTesting Sources/OpScriptCLI Sources/OpScriptJournal || true)"
forbid "hosts of the engine build nothing for processes, digests or HTTP" \
    "$(grep -rnE "${modifiers}(Subprocess|CCrypto|CCurl|CMicroHTTPD)\b" Sources/Scheduling Sources/LuaVM Sources/OpScript Sources/OpScriptRecord Sources/OpScriptFoundation Sources/OpScriptScenarios Sources/OpScriptTesting || true)"
forbid "processes are started by ProcessStart; swift-subprocess is for tests" \
    "$(grep -rnE "${modifiers}Subprocess\b" Sources/OpScriptWorks Sources/OpScriptCLI || true)"
forbid "only LuaVM imports CLua" \
    "$(grep -rnE "${modifiers}CLua\b" Sources --include='*.swift' | grep -v '^Sources/LuaVM/' || true)"
forbid "only the works import CCurl, and only the works and journals CCrypto" \
    "$(grep -rnE "${modifiers}(CCrypto|CCurl)\b" Sources --include='*.swift' | grep -vE '^Sources/(OpScriptWorks/|OpScriptJournal/.*CCrypto)' || true)"
forbid "only journals import CSQLite" \
    "$(grep -rnE "${modifiers}CSQLite\b" Sources --include='*.swift' | grep -v '^Sources/OpScriptJournal/' || true)"
forbid "only CSQLite includes SQLite's header" \
    "$(grep -rnE '#[[:space:]]*include[[:space:]]*[<"]sqlite3' Sources CLua | grep -v '^Sources/CSQLite/' || true)"
forbid "journals know the engine and no target above it" \
    "$(grep -rnE "${modifiers}(OpScript[A-Z][A-Za-z]*|ArgumentParser|LuaVM|CLinux)\b" Sources/OpScriptJournal || true)"
forbid "the cluster knows the engine, the scheduler and the works" \
    "$(grep -rnE "${modifiers}(OpScriptC[A-Z][A-Za-z]*|OpScriptJ[A-Za-z]*|ArgumentParser|Foundation|LuaVM|CLinux)\b" Sources/OpScriptSlurm || true)"
forbid "only CCurl includes libcurl's headers" \
    "$(grep -rnE '#[[:space:]]*include[[:space:]]*[<"]curl/' Sources CLua | grep -v '^Sources/CCurl/' || true)"
forbid "only the command imports CEdit" \
    "$(grep -rnE "${modifiers}CEdit\b" Sources --include='*.swift' | grep -v '^Sources/OpScriptCLI/' || true)"
forbid "only the scheduler, the engine and the works import CLinux" \
    "$(grep -rnE "${modifiers}CLinux\b" Sources --include='*.swift' | grep -vE '^Sources/(Scheduling|OpScript|OpScriptWorks)/' || true)"
forbid "of CLinux, CLua includes only the header about descriptors" \
    "$(grep -rnE '#[[:space:]]*include[[:space:]]*"Linux' CLua | grep -v 'LinuxDescriptors.h' || true)"
forbid "only OpScript imports LuaVM" \
    "$(grep -rnE "${modifiers}LuaVM\b" Sources --include='*.swift' | grep -v '^Sources/OpScript/' || true)"
forbid "records know no other target" \
    "$(grep -rnE "${modifiers}(OpScript|Scheduling|LuaVM|CLua|CLinux|ArgumentParser)" Sources/OpScriptRecord || true)"
forbid "scenarios know the engine and no other target" \
    "$(grep -rnE "${modifiers}(OpScript[A-Z][A-Za-z]*|Scheduling|ArgumentParser|Testing)\b" Sources/OpScriptScenarios || true)"
forbid "a host's tests build neither the command nor its works" \
    "$(grep -rnE "${modifiers}(OpScriptCLI|OpScriptWorks|ArgumentParser)\b" Sources/OpScriptTesting || true)"
forbid "Scheduling knows no other target" \
    "$(grep -rnE "${modifiers}(OpScript|LuaVM|CLua)" Sources/Scheduling || true)"
forbid "the machine is behind its door: only checks may inspect it" \
    "$(grep -rnE '\binspect[[:space:]]*[({]' Sources/Scheduling | grep -vE 'Shell/SchedulerCore\.swift|Worker/WakeRule\.swift' || true)"
forbid "the scheduler does not know the reader of its events" \
    "$(grep -rniE '\bscripts?\b|\bscript[A-Z]' Sources/Scheduling --include='*.swift' || true)"
forbid "only C raises Lua errors and yields" \
    "$(grep -rnE '\b(lua_error|luaL_error|lua_yieldk?)[[:space:]]*\(' Sources --include='*.swift' || true)"
forbid "only CLua includes Lua's headers" \
    "$(grep -rnE '#[[:space:]]*include[[:space:]]*[<"](lua5\.4/)?(lua|lauxlib|lualib)\.h' Sources || true)"
forbid "CLua uses Lua's public interface alone" \
    "$(grep -rnE '#[[:space:]]*include[[:space:]]*[<"].*\bl(api|code|debug|do|func|gc|limits|mem|object|opcodes|state|string|table|tm|undump|vm|zio)\.h|\bi_ci\b' CLua || true)"
exit "$status"
