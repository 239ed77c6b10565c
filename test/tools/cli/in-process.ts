import { Readable, Writable } from 'node:stream'
import { runCommand } from '../../../src/tools/cli/commands.ts'
import { nextTurn } from '../../contract/temporary.ts'
import { APPLICATIONS, type Finished, type Options } from './colophon.ts'
import { withEnvironment } from '../../setup/environment.ts'

/**
 * Runs the command line in this process: in a hundredth of the time of another one. An application is
 * loaded once, with the environment of its first command.
 */
export async function inProcess(
  args: readonly string[],
  { env = {}, input = '', cwd = APPLICATIONS }: Omit<Options, 'main'>,
): Promise<Finished & { readonly shown: readonly string[] }> {
  const [output, complaint, shown]: string[][] = [[], [], []]
  // The application has its own connection: what one writes the other one sees in the next turn.
  await nextTurn()
  const status = await withEnvironment(env, () =>
    runCommand(args, {
      cwd,
      input: Readable.from([input]),
      print: (line) => output!.push(`${line}\n`),
      complain: (line) => complaint!.push(`${line}\n`),
      columns: null,
      screen: screenInto(shown!),
      styled: (_, text) => text,
    }),
  )
  await nextTurn()
  return { status, output: output!.join(''), complaint: complaint!.join(''), shown: shown! }
}

/** A terminal on standard error: what is drawn, piece by piece. */
function screenInto(shown: string[]): Writable {
  return new Writable({
    write(chunk, _, done) {
      shown.push(String(chunk))
      done()
    },
  })
}
