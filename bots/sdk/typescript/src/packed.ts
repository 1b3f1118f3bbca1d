// The packed layouts of proto/arena/v1/rules.proto: little-endian words of 32 bits.
import { type Event, Range } from "./actions.js";
import type { Field } from "./gen/arena/v1/rules.js";

/** What a seat may see: fields of one value by name, and fields of many; -1 is hidden or none. */
export interface View {
  readonly values: Readonly<Record<string, number>>;
  readonly rows: Readonly<Record<string, Int32Array>>;
}

/** A view of its fields' values, in the order of the fields. */
export function viewOf(fields: readonly Field[], valuesOf: (field: Field) => Int32Array): View {
  const values: Record<string, number> = {};
  const rows: Record<string, Int32Array> = {};
  for (const field of fields) {
    const found = valuesOf(field);
    if (field.length === 1 && !field.per) values[field.name] = found[0];
    else rows[field.name] = found;
  }
  return { values, rows };
}

/** A packed view; Error when it is of another layout than the one that GameStart described. */
export function unpackView(fields: readonly Field[], layoutVersion: number, packed: Uint8Array): View {
  const words = int32s(packed);
  const wanted = fields.reduce((sum, field) => sum + field.length, 1);
  if (words[0] !== layoutVersion || words.length !== wanted) {
    throw new Error(
      `a view of layout ${words[0]} with ${words.length} words; expected ${layoutVersion} with ${wanted}`,
    );
  }
  let offset = 1;
  return viewOf(fields, (field) => words.subarray(offset, (offset += field.length)));
}

/** Packed legal ranges. */
export function unpackLegal(packed: Uint8Array): Range[] {
  const words = int32s(packed);
  const ranges: Range[] = [];
  for (let i = 0; i < words.length; i += 3) {
    const [kind, a, b, c] = bytes(words[i]);
    ranges.push(new Range(kind, a, b, c, words[i + 1], words[i + 2]));
  }
  return ranges;
}

/** Packed events. */
export function unpackEvents(packed: Uint8Array): Event[] {
  const words = int32s(packed);
  const events: Event[] = [];
  for (let i = 0; i < words.length; ) {
    const [kind, a, b, c] = bytes(words[i]);
    const end = i + 4 + words[i + 3];
    events.push({ kind, seat: words[i + 2], a, b, c, n: words[i + 1], dice: [...words.subarray(i + 4, end)] });
    i = end;
  }
  return events;
}

function bytes(word: number): number[] {
  return [word & 255, (word >>> 8) & 255, (word >>> 16) & 255, word >>> 24];
}

/** A copy, since a typed array must start on a word's boundary. Every platform of Node is little-endian. */
function int32s(packed: Uint8Array): Int32Array {
  return new Int32Array(Uint8Array.from(packed).buffer);
}
