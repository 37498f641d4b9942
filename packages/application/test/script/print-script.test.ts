import { spawnSync } from 'node:child_process'
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runCommands, type ToolCommand } from '@kube-rules/compiler'
import fc from 'fast-check'
import { afterAll, describe, expect, it } from 'vitest'
import { printScript } from '../../src/script/print-script.js'

const restore: ToolCommand = {
  tool: 'ip6tables-restore',
  args: ['--noflush'],
  input: '*nat\n-D KUBE-SERVICES 1\nCOMMIT\n',
  purpose: 'change rules',
}
const forget: ToolCommand = {
  tool: 'conntrack',
  args: ['-D', '--orig-dst', '10.96.0.10', '-p', 'udp'],
  input: '',
  purpose: 'delete stale connections',
  allowFailure: true,
}
const jump: ToolCommand = {
  tool: 'iptables',
  args: ['-I', 'INPUT', '-m', 'comment', '--comment', 'a jump', '-j', 'KUBE-SERVICES'],
  input: '',
  purpose: 'jump from INPUT',
  skipIf: ['-C', 'INPUT', '-m', 'comment', '--comment', 'a jump', '-j', 'KUBE-SERVICES'],
}

describe('printScript', () => {
  it('prints no text if there are no commands', () => {
    expect(printScript([])).toBe('')
  })

  it('prints the commands in order, each with its purpose, and with its input as a here-document', () => {
    expect(printScript([restore, jump, forget])).toBe(
      `#!/bin/sh
# Stops at the first command that fails.
(
# change rules
ip6tables-restore --noflush <<'END' || exit
*nat
-D KUBE-SERVICES 1
COMMIT
END

# jump from INPUT; unless already done
iptables -C INPUT -m comment --comment 'a jump' -j KUBE-SERVICES </dev/null >/dev/null 2>&1 ||
iptables -I INPUT -m comment --comment 'a jump' -j KUBE-SERVICES </dev/null || exit

# delete stale connections; also fails if there is nothing to do
conntrack -D --orig-dst 10.96.0.10 -p udp </dev/null || case $? in 1) ;; *) exit ;; esac
)
`,
    )
  })

  it('ends a here-document with a delimiter that does not occur in the input', () => {
    expect(printScript([{ ...restore, input: 'END\nEND_\n' }])).toContain(" <<'END__' || exit\nEND\nEND_\nEND__\n")
  })

  it.each(['no line break', 'ENDé\n'])('passes input with printf if a here-document cannot contain it: %j', (input) => {
    expect(printScript([{ ...restore, input }])).toContain(
      `\nprintf %s '${input}' | ip6tables-restore --noflush || exit\n)`,
    )
  })

  it('prints characters that a terminal interprets as octal bytes', () => {
    const comment = { ...restore, input: '-A A -m comment --comment "\u009b31m 5% \\d\'"\n' }
    expect(printScript([comment])).toContain(
      `\nprintf '-A A -m comment --comment "\\302\\23331m 5%% \\\\d'\\''"\n' | ip6tables-restore --noflush || exit\n)`.replace(
        "'-A",
        "'\\055A",
      ),
    )
  })

  it('prints the purpose of a command on one line', () => {
    expect(printScript([{ ...forget, purpose: 'x\nreboot' }])).toContain('\n# x\\u000areboot; also fails')
  })

  it('rejects a command that contains a NUL', () => {
    for (const command of [
      { ...restore, input: 'a\0\n' },
      { ...restore, args: ['\0'] },
      { ...jump, skipIf: ['\0'] },
    ]) {
      expect(() => printScript([command])).toThrow('a command contains a NUL')
    }
  })
})

/** The input of a tool. */
interface Handed {
  readonly tool: string
  readonly args: readonly string[]
  readonly input: string
}

// A stub that succeeds or fails according to its first argument, and logs its input.
const STUB = `#!/bin/sh
{ printf '%s\\0' "\${0##*/}" "$#" "$@"; cat; printf '\\0'; } >>"$LOG"
test "$1" = succeeds
`

const TOOLS = ['iptables-restore', 'ip', 'conntrack']

describe('a script that sh runs with stubs for the tools', () => {
  const folder = mkdtempSync(join(tmpdir(), 'kube-rules-'))
  const log = join(folder, 'log')
  for (const tool of TOOLS) {
    writeFileSync(join(folder, tool), STUB)
    chmodSync(join(folder, tool), 0o755)
  }
  afterAll(() => rmSync(folder, { recursive: true }))

  function execute(script: string, by: 'file' | 'standard input') {
    writeFileSync(log, '')
    const file = join(folder, 'script.sh')
    writeFileSync(file, script)
    const env = { PATH: `${folder}:${process.env.PATH}`, LOG: log }
    const options = by === 'file' ? { env } : { env, input: script }
    const { status } = spawnSync('sh', by === 'file' ? [file] : [], options)
    return { ok: status === 0, handed: readLog(readFileSync(log, 'utf8')) }
  }

  const hostile = fc.oneof(
    fc.constantFrom(
      "'",
      '"',
      '`reboot`',
      '$(reboot)',
      '\\',
      '\\\n',
      '\n',
      '',
      'END',
      '-n',
      '#',
      ' ',
      '\r\n',
      '!!',
      '%s',
      '\u001b[2J',
      '\u0081\u0088',
      '\u009b31m',
      '\u202e',
      '\u200b',
      '\u2028',
      '-\u007f',
      '\u{e0041}1',
    ),
    fc.string({ unit: 'grapheme' }),
  )
  const text = fc.array(hostile).map((parts) => parts.join('').replaceAll('\0', ''))
  const plain = fc.string().map((line) => line.replaceAll('\n', ''))
  const special = fc.constantFrom('END', 'END_', "'END'", ')', '||', 'COMMIT', 'ENDé', 'Eé')
  const lines = fc.oneof(fc.array(fc.oneof(plain, special)), fc.array(fc.oneof(text, special)))
  const document = lines.map((all) => all.map((line) => `${line}\n`).join(''))
  const input = fc.oneof(document, text, fc.constant(''))
  const often = (weight: number) => fc.oneof({ weight, arbitrary: fc.constant('succeeds') }, fc.constant('fails'))
  const words = (outcome: fc.Arbitrary<string>) =>
    fc.tuple(outcome, fc.array(text, { maxLength: 4 })).map(([first, others]) => [first, ...others])
  const commands: fc.Arbitrary<ToolCommand[]> = fc.array(
    fc.record({
      tool: fc.constantFrom(...TOOLS),
      args: words(often(2)),
      input,
      purpose: text,
      skipIf: fc.option(words(often(1)), { nil: undefined }),
      allowFailure: fc.boolean(),
    }),
    { minLength: 1, maxLength: 5 },
  )

  async function expected(all: readonly ToolCommand[]) {
    const handed: Handed[] = []
    const { ok } = await runCommands(all, ({ onNonZeroExit: _, purpose: __, ...command }) => {
      handed.push(command)
      return command.args[0] === 'succeeds'
    })
    return { ok, handed }
  }

  it('passes each tool the same input as runCommands does, and stops at the same failure', async () => {
    const seen = { ok: 0, failed: 0, document: 0 }
    await fc.assert(
      fc.asyncProperty(commands, fc.constantFrom('file' as const, 'standard input' as const), async (all, by) => {
        const expectedValue = await expected(all)
        seen[expectedValue.ok ? 'ok' : 'failed'] += 1
        if (printScript(all).includes(" <<'END")) seen.document += 1
        expect(execute(printScript(all), by)).toEqual(expectedValue)
      }),
      { numRuns: 60 },
    )
    expect(Math.min(...Object.values(seen))).toBeGreaterThan(4)
  })

  it.each([
    ['continues', { allowFailure: true, nothingToDo: [1, 4] }, 4, 0],
    ['stops', { allowFailure: true }, 4, 4],
    ['stops', {}, 1, 1],
    ['continues', { toolMayBeMissing: true }, 127, 0],
    ['stops', { allowFailure: true }, 127, 127],
  ] as const)('%s after a command with %o if its tool exits with %i', (_what, fields, status, expectedStatus) => {
    const command = { tool: 'sh', args: ['-c', `exit ${status}`], input: '', purpose: 'p', ...fields }
    expect(spawnSync('sh', ['-c', printScript([command])]).status).toBe(expectedStatus)
  })

  it('runs no command if the text of the script is truncated', () => {
    fc.assert(
      fc.property(commands, fc.double({ min: 0, max: 1, noNaN: true }), (all, part) => {
        const script = printScript(all)
        const whole = script.length - ')\n'.length
        expect(execute(script.slice(0, Math.round(whole * part)), 'standard input').handed).toEqual([])
      }),
      { numRuns: 40 },
    )
  })
})

function readLog(log: string): readonly Handed[] {
  const fields = log.split('\0')
  const handed: Handed[] = []
  for (let at = 0; at < fields.length - 1; ) {
    const count = Number(fields[at + 1])
    const args = fields.slice(at + 2, at + 2 + count)
    handed.push({ tool: fields[at] ?? '', args, input: fields[at + 2 + count] ?? '' })
    at += 3 + count
  }
  return handed
}
