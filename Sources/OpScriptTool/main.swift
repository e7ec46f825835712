import OpScriptCLI

OpScriptCommand.main()
