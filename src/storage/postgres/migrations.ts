import { type Kysely, sql } from 'kysely'
import type { MigrationDialect } from '../sql/dialect.ts'
import { typesIn } from '../sql/migrations/column-kinds.ts'
import { runAll } from '../sql/migrations/own-tables.ts'

/** Milliseconds to wait while another process migrates. */
const PATIENCE = 600_000

/** A number that means migrations and nothing else; the lock ends with the transaction. */
const LOCK = 4_033_250_142_908_817_153n

/** Changes of tables in PostgreSQL: in a transaction that has taken a lock. */
export const migrations: MigrationDialect = {
  integer: 'bigint',
  growing: (column) => column.generatedByDefaultAsIdentity().primaryKey(),
  exclusively: (database, work) =>
    database.transaction().execute(async (transaction) => {
      await sql`set local lock_timeout = ${sql.lit(PATIENCE)}`.execute(transaction)
      await sql`set local statement_timeout = 0`.execute(transaction)
      await sql`select pg_advisory_xact_lock(${sql.lit(LOCK)})`.execute(transaction)
      return work(transaction)
    }),
  run: runAll,
  undone: true,
  type: typesIn({
    own: 'postgres',
    kinds: {
      id: 'bigint',
      integer: 'bigint',
      float: 'double precision',
      boolean: 'boolean',
      text: 'text',
      date: 'date',
      time: 'time',
      dateTime: 'timestamptz',
      uuid: 'uuid',
      bytes: 'bytea',
      json: 'jsonb',
    },
    decimal: (digits, places) => `numeric(${digits}, ${places})`,
  }),
  check: () => null,
  inlineReferences: false,
  indexesOfTables: false,
  now: 'now()',
  own: 'postgres',
  // Unlogged: nothing is written to the log of the server, and so not to its replicas. After a crash the counters
  // begin anew. With room on each page a new state replaces the old one there.
  counters: (table) =>
    table
      .modifyFront(sql`unlogged`)
      .addColumn('state', sql`bigint[]`, (column) => column.notNull())
      .modifyEnd(sql`with (fillfactor = 50)`),
  routines: makeRoutines,
  // `null`: the schema does not exist, which making a table reports.
  async schema(database) {
    const found = sql<{ name: string | null }>`select current_schema() as name`
    return (await found.execute(database)).rows[0]!.name
  },
}

/** Creates the routine if it is missing or has changed, and needs the right to do so only then. */
async function makeRoutines(database: Kysely<unknown>): Promise<void> {
  const found = sql<{ body: string }>`select prosrc as body from pg_proc
    where oid = to_regprocedure(quote_ident(current_schema()) || '.colophon_count(text[], bigint[])')`
  const body = (await found.execute(database)).rows[0]?.body
  if (body === BODY) return
  await sql
    .raw(
      `create or replace function colophon_count(ids text[], work bigint[]) returns text
       language plpgsql as $routine$${BODY}$routine$`,
    )
    .execute(database)
}

/**
 * `src/policies/throttling/counting.ts` in the database. Rows are made, or locked where they are, one after the other in the
 * order in which every process has them, so no two wait for each other; the insert locks what is there already,
 * though it changes nothing. The clock is read when all of them are locked. `work` and the answer are described in
 * `pooled/counters.ts`.
 */
const BODY = `
#variable_conflict use_column
declare
  clock bigint;
  kept colophon_counter[] := '{}';
  touched boolean[] := array_fill(false, array[cardinality(ids)]);
  answer bigint[] := '{}';
  next int := 1;
  start int;
  limits int;
  act int;
  at bigint;
  counts boolean;
  ahead boolean[];
  trials colophon_counter[];
  trial colophon_counter;
  waits bigint[];
  p int;
  place int;
  most bigint;
  span bigint;
  cost bigint;
  is_gcra boolean;
  numbers bigint[];
  length int;
  low int;
  high int;
  middle int;
  level bigint;
  excess bigint;
  wait bigint;
  remaining bigint;
  reset bigint;
  over bigint;
begin
  insert into colophon_counter as c (id, expires, state)
    select u.id, 0, '{}' from unnest(ids) with ordinality as u (id, place) order by u.place
    on conflict (id) do update set expires = c.expires where false;
  select coalesce(array_agg(c order by u.place), '{}') into kept
    from unnest(ids) with ordinality as u (id, place) join colophon_counter c on c.id = u.id;
  clock := floor(extract(epoch from clock_timestamp()) * 1000);

  while next <= cardinality(work) loop
    act := work[next];
    at := case work[next + 1] when 1 then work[next + 2] else clock end;
    limits := work[next + 3];
    start := next + 4;
    next := start + 6 * limits;
    answer := answer || at;

    if act = 2 then
      for k in 0 .. limits - 1 loop
        p := start + 6 * k;
        place := work[p];
        cost := work[p + 3];
        numbers := (kept[place]).state;
        if work[p + 4] = 1 then
          level := coalesce(numbers[2], 0) - cost * work[p + 2];
          numbers := case when level > 0 then array[numbers[1], level] else '{}' end;
        else
          low := array_position(numbers, at);
          if low is not null then
            high := low;
            while high < low + cost and numbers[high] = at loop
              high := high + 1;
            end loop;
            numbers := numbers[:low - 1] || numbers[high:];
          end if;
        end if;
        kept[place].state := numbers;
        touched[place] := true;
      end loop;
      continue;
    end if;

    counts := act = 1;
    ahead := '{}';
    waits := '{}';
    trials := '{}';
    for k in 0 .. limits - 1 loop
      p := start + 6 * k;
      place := work[p];
      most := work[p + 1];
      span := work[p + 2];
      cost := work[p + 3];
      is_gcra := work[p + 4] = 1;
      numbers := (kept[place]).state;
      length := cardinality(numbers);
      if is_gcra then
        ahead := ahead || (length > 0 and numbers[1] > at);
        level := 0;
        if length > 0 then
          level := least(numbers[2], most * span) - least(greatest(at - numbers[1], 0), span) * most;
        end if;
        numbers := case when level > 0 then array[at, level] else '{}' end;
        level := greatest(level, 0);
        excess := level + (cost - most) * span;
      else
        ahead := ahead || (length > 0 and numbers[length] > at);
        if ahead[k + 1] then
          excess := numbers[length] - at;
          numbers := array(
            select u.moment - excess from unnest(numbers) with ordinality as u (moment, place) order by u.place
          );
        end if;
        over := at - span;
        if numbers[length] <= over then
          numbers := '{}';
        elsif numbers[1] <= over then
          low := 1;
          high := length;
          while low < high loop
            middle := (low + high) / 2;
            if numbers[middle] > over then
              high := middle;
            else
              low := middle + 1;
            end if;
          end loop;
          numbers := numbers[low:];
        end if;
        excess := cardinality(numbers) + cost - most;
      end if;
      if excess <= 0 or cost = 0 then
        wait := 0;
      elsif cost > most then
        wait := case most when 0 then span else -1 end;
      elsif is_gcra then
        wait := (excess + most - 1) / most;
      else
        wait := numbers[excess] + span - at;
      end if;
      waits := waits || wait;
      counts := counts and wait = 0;
      trial.state := numbers;
      trials := trials || trial;
    end loop;

    for k in 0 .. limits - 1 loop
      p := start + 6 * k;
      place := work[p];
      most := work[p + 1];
      span := work[p + 2];
      cost := work[p + 3];
      is_gcra := work[p + 4] = 1;
      numbers := (trials[k + 1]).state;
      if counts and is_gcra then
        level := coalesce(numbers[2], 0) + cost * span;
        numbers := case when level > 0 then array[at, level] else '{}' end;
      elsif counts then
        numbers := numbers || array_fill(at, array[cost::int]);
      end if;
      if is_gcra then
        level := coalesce(numbers[2], 0);
        remaining := greatest((most * span - level) / span, 0);
        reset := 0;
        over := coalesce(numbers[1], 0) + span;
        if level > 0 and most > 0 then
          reset := (level - (most - remaining - 1) * span + most - 1) / most;
        end if;
      else
        length := cardinality(numbers);
        remaining := greatest(most - length, 0);
        reset := coalesce(numbers[1] + span - at, 0);
        over := coalesce(numbers[length], 0) + span;
      end if;
      if counts or ahead[k + 1] then
        kept[place].state := numbers;
        kept[place].expires := (over + work[p + 5] - 1) / work[p + 5] * work[p + 5];
        touched[place] := true;
      end if;
      wait := waits[k + 1];
      answer := answer || array[(wait = 0)::int, remaining, wait, reset];
    end loop;
  end loop;

  for place in 1 .. cardinality(ids) loop
    if touched[place] then
      update colophon_counter set state = (kept[place]).state, expires = (kept[place]).expires
        where id = ids[place];
    end if;
  end loop;
  return array_to_string(answer, ',');
end
`
