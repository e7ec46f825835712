// The code of the prompt.
#include "CTexts.h"

// Clang has #embed in every version of C, and warns before C23.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char prompt[] = {
#embed "../OpScriptCLI/Prompt/Lua/prompt.lua"
    , 0};
const char *text_prompt(void) { return (const char *)prompt; }
