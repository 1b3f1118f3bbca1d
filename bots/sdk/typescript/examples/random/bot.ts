// Plays anything legal: a random range, then a random amount.
import { type Game, serve } from "conquest-arena-bot";

await serve(({ random }: Game) => (_view, legal) => random.pick(legal).sample(random), {
  name: "sdk_typescript_random",
  version: "1",
});
