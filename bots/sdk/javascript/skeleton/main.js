import { start } from "./bot.js";
import { serve } from "./conquest-arena-bot/dist/index.js";

await serve(start, { name: "__NAME__", version: "1" });
