// Times as people write and read them.

import { usage } from "./failure.mjs";

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const UNITS = { s: SECOND, m: MINUTE, h: HOUR, d: DAY, w: 7 * DAY };

const SPAN = /^(?:\d+(?:\.\d+)?[smhdw])+$/;
const CLOCK = /^([01]?\d|2[0-3]):([0-5]\d)$/;
const TIME = /^(\d{4})-(\d{2})-(\d{2})(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,3})?)?(?:Z|[+-]\d{2}:\d{2})?)?$/;
// Shorter ones would be seconds, or a slip.
const MILLIS = /^\d{11,16}$/;

/** The milliseconds of a span such as `90s`, `30m` or `1h30m`; `undefined` for anything else. */
export function spanOf(text) {
  if (!SPAN.test(text)) return undefined;
  return text.match(/[\d.]+./g).reduce((sum, part) => sum + Number(part.slice(0, -1)) * UNITS[part.at(-1)], 0);
}

/** Where a summer ends, a time of day comes twice: of the two, the first that is still to come. */
function nextOf(millis, now) {
  const shown = new Date(millis).toString().slice(0, "Thu Jan 01 1970 00:00:00".length);
  // Lord Howe Island sets its clocks by half an hour, Troll station by two.
  const times = [0, 30 * MINUTE, HOUR, 2 * HOUR]
    .map((later) => millis + later)
    .filter((time) => new Date(time).toString().startsWith(shown));
  return times.find((time) => time > now) ?? millis;
}

/** The moment that a person means, in milliseconds since the epoch: a span from now, a time of day, a date. */
export function momentOf(text, now) {
  const span = spanOf(text);
  // Beyond that there are no dates.
  if (span !== undefined && now + span <= 8.64e15) return now + span;
  if (MILLIS.test(text)) return Number(text);
  const clock = CLOCK.exec(text);
  if (clock) {
    const [hours, minutes] = clock.slice(1).map(Number);
    const date = new Date(now);
    // Where a summer begins, a day may lack that time: then it comes as much later as the clocks were set on.
    const gone = date.getHours() * 60 + date.getMinutes() >= hours * 60 + minutes;
    const on = (day) => new Date(date.getFullYear(), date.getMonth(), date.getDate() + day, hours, minutes).getTime();
    const today = nextOf(on(0), now);
    return today > now && (new Date(today).getHours() === hours || !gone) ? today : on(1);
  }
  const [, year, month, day] = TIME.exec(text)?.map(Number) ?? [];
  // `Date.parse` takes the 31st of any month for a day of the next one.
  if (year !== undefined && new Date(Date.UTC(year, month - 1, day)).getUTCDate() === day) {
    // A time without a zone is the one on the wall; of a day alone `Date.parse` thinks otherwise.
    const millis = Date.parse(text.length === "2026-09-08".length ? `${text}T00:00` : text.replace(" ", "T"));
    if (!Number.isNaN(millis)) return /Z|[+-]\d{2}:\d{2}$/.test(text) ? millis : nextOf(millis, now);
  }
  throw usage(
    `${JSON.stringify(text)} is no time: give a span such as 30m or 1h30m, a time of day such as 17:30, or a date such as 2026-09-08T12:00Z`,
  );
}

/** How long ago something was, in one unit: `12s`, `5m`, `3h`, `2d`. */
export function age(millis) {
  const past = Math.max(0, millis);
  if (past < MINUTE) return `${Math.floor(past / SECOND)}s`;
  if (past < HOUR) return `${Math.floor(past / MINUTE)}m`;
  if (past < 2 * DAY) return `${Math.floor(past / HOUR)}h`;
  return `${Math.floor(past / DAY)}d`;
}

/** How long something will take, rounded up: nobody is told to come too early. */
export function ahead(millis) {
  if (millis <= MINUTE) return `${Math.ceil(millis / SECOND)} s`;
  if (millis <= 2 * HOUR) return `${Math.ceil(millis / MINUTE)} min`;
  if (millis <= 2 * DAY) return `${Math.ceil(millis / HOUR)} h`;
  return `${Math.ceil(millis / DAY)} days`;
}
