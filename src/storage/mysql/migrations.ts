import { CreateTableNode, type Kysely, type KyselyPlugin, RawNode, sql } from 'kysely'
import { DatabaseUnavailable } from '../../core/errors/storage-errors.ts'
import type { MigrationDialect, StepPart } from '../sql/dialect.ts'
import { typesIn } from '../sql/migrations/column-kinds.ts'
import { runPart } from '../sql/migrations/own-tables.ts'

/** Seconds to wait while another process migrates. */
const PATIENCE = 600

/** Locks of MySQL belong to the whole server, so the name of the database is in it. They end with the connection, too. */
const LOCK = sql`concat('colophon ', left(sha2(database(), 256), 40))`

/** The columns of a row share 65,535 bytes; longer texts are stored outside of it. */
const LONGEST_VARCHAR = 2000

/** Changes of tables in MySQL and MariaDB: statement by statement, none of which can be undone. */
export const migrations: MigrationDialect = {
  integer: 'bigint',
  growing: (column) => column.autoIncrement().primaryKey(),
  exclusively: (database, work) =>
    database.connection().execute(async (connection) => {
      const lock = sql<{ got: unknown }>`select get_lock(${LOCK}, ${sql.lit(PATIENCE)}) as got`
      const { rows } = await lock.execute(connection)
      if (rows[0]?.got !== 1)
        throw new DatabaseUnavailable('Another process is migrating this database. Try again.')
      try {
        return await work(connection.withPlugin(exactTables(await collationOf(connection))))
      } finally {
        await sql`select release_lock(${LOCK})`.execute(connection)
      }
    }),
  run: resume,
  // An operator who deletes the note of a migration wants it to run anew.
  forget: async (database, step) => {
    await database.withTables<Progress>().deleteFrom(PROGRESS).where('step', '=', step).execute()
  },
  undone: false,
  type: typesIn({
    own: 'mysql',
    kinds: {
      id: 'bigint',
      integer: 'bigint',
      float: 'double',
      boolean: 'boolean',
      text: 'longtext',
      date: 'date',
      time: 'time(6)',
      dateTime: 'datetime(6)',
      uuid: 'char(36)',
      bytes: 'longblob',
      json: 'json',
    },
    decimal: (digits, places) => `decimal(${digits}, ${places})`,
    longest: LONGEST_VARCHAR,
  }),
  check: ({ kind, maxLength }, name) =>
    kind === 'text' && maxLength! > LONGEST_VARCHAR ? `char_length(${name}) <= ${maxLength}` : null,
  inlineReferences: false,
  indexesOfTables: true,
  now: 'current_timestamp(6)',
  own: 'mysql',
  counters: (table) => table.addColumn('state', sql`mediumblob`, (column) => column.notNull()),
  routines: async (database) => makeRoutines(database, await collationOf(database)),
}

const PROGRESS = 'colophon_migration_progress'

type Progress = { [PROGRESS]: { step: string; statements: number } }

/**
 * A step that breaks off anywhere is finished by running it again: MySQL keeps every change of tables at once,
 * transaction or not, so each statement that was run is noted, and not run twice. One that the server refused is noted
 * too, as a negative number: it was not run.
 */
async function resume(
  database: Kysely<unknown>,
  step: string,
  parts: readonly StepPart[],
): Promise<void> {
  const before = await progressOf(database, step)
  const note = (statements: number) =>
    database
      .withTables<Progress>()
      .updateTable(PROGRESS)
      .set({ statements })
      .where('step', '=', step)
      .execute()
  const begun = before === null ? 0 : before < 0 ? -before - 1 : before
  for (const [index, part] of parts.entries()) {
    if (index < begun) continue
    try {
      await runPart(database, part)
    } catch (error) {
      // The run that broke off may have run this one without noting it. Only our own statements are ever skipped.
      const mayBeDone = index === before && !('work' in part)
      if (!mayBeDone || !isDoneAlready(error)) {
        // Without a connection, the progress cannot be noted.
        await note(-index - 1).catch(() => null)
        throw error
      }
    }
    await note(index + 1)
  }
}

/** `null`: it has not begun. */
async function progressOf(database: Kysely<unknown>, step: string): Promise<number | null> {
  await database.schema
    .createTable(PROGRESS)
    .ifNotExists()
    .addColumn('step', 'varchar(100)', (column) => column.primaryKey())
    .addColumn('statements', 'integer', (column) => column.notNull())
    .execute()
  const db = database.withTables<Progress>()
  const noted = db.selectFrom(PROGRESS).select('statements').where('step', '=', step)
  const begun = (await noted.executeTakeFirst())?.statements
  if (begun !== undefined) return begun
  await db.insertInto(PROGRESS).values({ step, statements: 0 }).execute()
  return null
}

/** Error numbers of a server for a step that is already done: a table, a column or an index exists, or is gone. */
const DONE: ReadonlySet<unknown> = new Set([
  1005, 1022, 1050, 1051, 1054, 1060, 1061, 1091, 1146, 1826,
])

function isDoneAlready(error: unknown): boolean {
  const cause = error instanceof DatabaseUnavailable ? error.cause : error
  return cause instanceof Error && 'errno' in cause && DONE.has(cause.errno)
}

/** Compares texts byte by byte: `alice`, `Alice` and `alice ` are different names, whatever the server's setting. */
function exactTables(collation: string): KyselyPlugin {
  const options = RawNode.createWithSql(
    `engine = InnoDB default character set utf8mb4 collate ${collation}`,
  )
  return {
    transformQuery: ({ node }) =>
      CreateTableNode.is(node) ? CreateTableNode.cloneWithEndModifier(node, options) : node,
    transformResult: async ({ result }) => result,
  }
}

/** Ignores nothing, not even spaces at the end; MySQL and MariaDB have different names for it. */
async function collationOf(database: Kysely<unknown>): Promise<string> {
  const { rows } = await sql<{ name: string }>`
    select collation_name as name from information_schema.collations
    where collation_name in ('utf8mb4_nopad_bin', 'utf8mb4_0900_bin')`.execute(database)
  return rows[0]?.name ?? 'utf8mb4_bin'
}

/** Creates missing or changed routines, and needs the right to do so only then. */
async function makeRoutines(database: Kysely<unknown>, collation: string): Promise<void> {
  const found = await sql<{ name: string; body: string | null }>`
    select routine_name as name, routine_definition as body
    from information_schema.routines
    where routine_schema = database() and routine_name in ('colophon_count', 'colophon_sweep')
  `.execute(database)
  const bodies = new Map(found.rows.map(({ name, body }) => [name, body]))
  const wanted = [
    { name: 'colophon_count', given: COUNT_GIVEN, body: countBody(collation) },
    { name: 'colophon_sweep', given: SWEEP_GIVEN, body: sweepBody(collation) },
  ]
  // The text of a routine is hidden from accounts that may not replace it either.
  for (const { name, given, body } of wanted)
    if (!bodies.has(name) || ![body, null].includes(bodies.get(name)!))
      await replace(database, name, `${name}(${given}) sql security invoker ${body}`)
}

/** MySQL cannot replace a routine: there it is missing for a moment. */
async function replace(database: Kysely<unknown>, name: string, definition: string): Promise<void> {
  const asked = sql<{ version: string }>`select version() as version`
  const isMariadb = (await asked.execute(database)).rows[0]!.version.includes('MariaDB')
  if (!isMariadb) await sql.raw(`drop procedure if exists ${name}`).execute(database)
  const create = isMariadb ? 'create or replace' : 'create'
  await sql.raw(`${create} procedure ${definition}`).execute(database)
}

const COUNT_GIVEN = 'names longblob, ends longblob, work longblob'
const SWEEP_GIVEN = 'clock bigint, most bigint'

/** This isolation has no gap locks, in which two inserts could wait for each other, unlike the server's default. */
const BEGIN = `
  set transaction isolation level read committed;
  start transaction;`

/** A number of `list`. */
const number = (text: string, place: string) =>
  `cast(substring(${text}, 17 * (${place}) + 1, 17) as signed)`
/**
 * A number of a state: the first has 8 bytes, the others as many as moments need. Without the cast it is a text,
 * which MySQL compares as one, with numbers too.
 */
const integer = (start: string, bytes: number) =>
  `cast(conv(hex(substring(numbers, ${start}, ${bytes})), 16, -10) as signed)`
const bytes = (value: string, size: number) => `unhex(lpad(hex(${value}), ${2 * size}, '0'))`
/** The moment number `place` of a log, from 1. */
const moment = (place: string) => `base + ${integer(`6 * (${place}) + 3`, 6)}`

/**
 * `src/policies/throttling/counting.ts` in the database. Rows are made, or locked where they are, one after the other in the
 * order in which every process has them, so no two wait for each other. The clock is read when all of them are
 * locked. `work` and the answer are described in `pooled/counters.ts`.
 *
 * There are no arrays here, so what is known of several limits is worked out twice: first to see whether all
 * allow, then to write. A state is bytes. `gcra`: a moment and a level, of 8 bytes each. `log`: a base of 8 bytes,
 * and for each moment its distance from there in 6, so all of them move where only the base is written.
 */
function countBody(collation: string): string {
  return `begin
  ${countVariables(collation)}
  declare exit handler for sqlexception
  begin
    rollback;
    resignal;
  end;
  ${BEGIN}
  ${LOCK_ROWS}
  set clock = timestampdiff(microsecond, '1970-01-01', utc_timestamp(6)) div 1000;

  while next < total do
    set act = ${number('work', 'next')}, limits = ${number('work', 'next + 3')};
    set moment_given = if(${number('work', 'next + 1')} = 1, ${number('work', 'next + 2')}, clock);
    set start = next + 4, next = next + 4 + 6 * limits;
    set answer = concat(answer, if(answer = '', '', ','), moment_given);
    set counts = act = 1, pass = if(act = 2, 2, 0);

    while pass < 3 do
      set k = 0;
      while k < limits do
        -- Of a single limit everything is known from the first pass.
        if pass <> 1 or limits > 1 then
          ${READ_LIMIT}
        end if;

        if pass = 2 then
          ${TAKE_BACK}
        elseif pass <> 1 or limits > 1 then
          if is_gcra = 1 then
            ${EXCESS_OF_GCRA}
          else
            ${EXCESS_OF_LOG}
          end if;
          set wait = case
            when excess <= 0 or cost = 0 then 0
            when cost > most then if(most = 0, span, -1)
            when is_gcra = 1 then (excess + most - 1) div most
            else ${moment('excess')} + span - moment_given
          end;
          set counts = counts and wait = 0;
        end if;

        if pass = 1 then
          ${ADD_HIT}
          ${STANDING}
          if counts or ahead then
            update colophon_counter set state = numbers, expires = (ends_at + grain - 1) div grain * grain
              where id = name;
          end if;
          set answer = concat(answer, ',', wait = 0, ',', remaining, ',', wait, ',', reset);
        end if;
        set k = k + 1;
      end while;
      set pass = pass + if(pass = 1, 2, 1);
    end while;
  end while;
  commit;
  select answer;
end`
}

function countVariables(collation: string): string {
  return `declare clock, moment_given, cost, most, span, grain, base, level, excess, bound bigint;
  declare remaining, reset, ends_at bigint;
  declare wait bigint default 0;
  declare next, place, start, upto, size, low, high, middle, p, k, limits int default 0;
  declare act, pass, counts, ahead, is_gcra int default 0;
  declare total int default length(work) div 17;
  declare rows_total int default length(ends) div 17;
  declare name varchar(255) character set utf8mb4 collate ${collation};
  declare numbers longblob;
  declare answer longtext character set latin1 default '';`
}

/** Makes the rows that are missing. */
const LOCK_ROWS = `while place < rows_total do
    set upto = ${number('ends', 'place')};
    set name = convert(substring(names, start + 1, upto - start) using utf8mb4);
    insert into colophon_counter (id, expires, state) values (name, 0, '')
      on duplicate key update expires = expires;
    set start = upto, place = place + 1;
  end while;`

/** The limit number `k`, and the state in its row. */
const READ_LIMIT = `set p = start + 6 * k;
          set place = ${number('work', 'p')}, most = ${number('work', 'p + 1')},
            span = ${number('work', 'p + 2')}, cost = ${number('work', 'p + 3')},
            is_gcra = ${number('work', 'p + 4')}, grain = ${number('work', 'p + 5')};
          set low = if(place = 1, 0, ${number('ends', 'place - 2')}), high = ${number('ends', 'place - 1')};
          set name = convert(substring(names, low + 1, high - low) using utf8mb4);
          select state into numbers from colophon_counter where id = name;
          set ahead = 0;
          set size = if(is_gcra = 1, length(numbers) div 8, greatest(length(numbers) - 8, 0) div 6);
          set base = if(size = 0, 0, ${integer('1', 8)});`

/** Undoes a hit that was counted at `moment_given`. */
const TAKE_BACK = `if is_gcra = 1 and size > 0 then
            set level = ${integer('9', 8)} - cost * span;
            set numbers = if(level > 0, concat(left(numbers, 8), ${bytes('level', 8)}), '');
          elseif is_gcra = 0 then
            set low = 1;
            while low <= size and ${moment('low')} <> moment_given do
              set low = low + 1;
            end while;
            set high = low;
            while high <= size and high < low + cost and ${moment('high')} = moment_given do
              set high = high + 1;
            end while;
            set numbers = if(size = high - low, '',
              concat(left(numbers, 6 * low + 2), substring(numbers, 6 * high + 3)));
          end if;
          update colophon_counter set state = numbers where id = name;`

/** The excess of a hit over a limit of `gcra`, whose level sinks up to now. */
const EXCESS_OF_GCRA = `set ahead = ahead or (size > 0 and base > moment_given), level = 0;
            if size > 0 then
              set level = greatest(0, least(${integer('9', 8)}, most * span)
                - least(greatest(moment_given - base, 0), span) * most);
            end if;
            set numbers = if(level > 0, concat(${bytes('moment_given', 8)}, ${bytes('level', 8)}), '');
            set excess = level + (cost - most) * span;`

/** The excess of a hit over a limit of `log`, without moments older than its span. */
const EXCESS_OF_LOG = `set bound = if(size = 0, null, ${moment('size')}) - moment_given;
            if bound > 0 then
              set ahead = 1, base = base - bound;
              set numbers = concat(${bytes('base', 8)}, substring(numbers, 9));
            end if;
            set bound = moment_given - span;
            if size > 0 and ${moment('size')} <= bound then
              set numbers = '', size = 0;
            elseif size > 0 and ${moment('1')} <= bound then
              set low = 1, high = size;
              while low < high do
                set middle = (low + high) div 2;
                if ${moment('middle')} > bound then
                  set high = middle;
                else
                  set low = middle + 1;
                end if;
              end while;
              set numbers = concat(left(numbers, 8), substring(numbers, 6 * low + 3)), size = size - low + 1;
            end if;
            set excess = size + cost - most;`

/** The state after a hit that every limit allows. */
const ADD_HIT = `if counts and is_gcra = 1 then
            set level = level + cost * span;
            set numbers = if(level > 0, concat(${bytes('moment_given', 8)}, ${bytes('level', 8)}), '');
          elseif counts and cost > 0 then
            if size = 0 then
              set base = moment_given, numbers = ${bytes('base', 8)};
            end if;
            set numbers = concat(numbers, repeat(${bytes('moment_given - base', 6)}, cost)), size = size + cost;
          end if;`

/** The rest of a limit, and the time when its row may be swept. */
const STANDING = `if is_gcra = 1 then
            set remaining = greatest((most * span - level) div span, 0), reset = 0, ends_at = moment_given + span;
            if level > 0 and most > 0 then
              set reset = (level - (most - remaining - 1) * span + most - 1) div most;
            end if;
          else
            set remaining = greatest(most - size, 0);
            set reset = if(size = 0, 0, ${moment('1')} + span - moment_given);
            set ends_at = if(size = 0, 0, ${moment('size')} + span);
          end if;`

/** Sweeps in the order of the rows, in which hits lock them as well. */
function sweepBody(collation: string): string {
  return `begin
  declare name varchar(255) character set utf8mb4 collate ${collation};
  declare done int default 0;
  declare old_rows cursor for select found.id
    from (select id from colophon_counter where expires <= clock order by expires limit most) as found
    order by found.id;
  declare continue handler for not found set done = 1;
  declare exit handler for sqlexception
  begin
    rollback;
    resignal;
  end;
  ${BEGIN}
  open old_rows;
  each_row: loop
    fetch old_rows into name;
    if done then
      leave each_row;
    end if;
    delete from colophon_counter where id = name and expires <= clock;
  end loop;
  close old_rows;
  commit;
end`
}
