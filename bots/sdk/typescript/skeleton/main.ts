import { start } from "./bot.js";
import { serve } from "./conquest-arena-bot/src/index.js";

await serve(start, { name: "__NAME__", version: "1" });
