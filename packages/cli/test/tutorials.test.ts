import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

// Every tutorial is followed as it is printed: the file that the reader saves, each command, and each output.

const TUTORIALS = new URL('../../../docs/tutorials/', import.meta.url)
const bundleCommand = fileURLToPath(new URL('../../../scripts/bundle-command.mjs', import.meta.url))
const directory = mkdtempSync(join(tmpdir(), 'tutorials-'))
const main = join(directory, 'kube-rules.mjs')

/** The file to save, then each command with its output, if the page prints one. */
function stepsOf(page: string) {
  const text = readFileSync(new URL(page, TUTORIALS), 'utf8')
  const [, name = ''] = /[Ss]ave this as `([^`]+)`/.exec(text) ?? []
  const [, content = ''] = /```yaml\n(.*?)```/s.exec(text) ?? []
  const commands = Array.from(
    text.matchAll(/```sh\n(.*?)```\n(?:\n```\n(.*?)```\n)?/gs),
    ([, command = '', output]) => ({
      command,
      output,
    }),
  )
  return { name, content, commands }
}

beforeAll(() => {
  const { status, stderr } = spawnSync(process.execPath, [bundleCommand, main], { encoding: 'utf8' })
  if (status !== 0) throw new Error(`not bundled: ${stderr}`)
})

afterAll(() => rmSync(directory, { recursive: true }))

describe('a tutorial', () => {
  const hasShell = process.platform === 'linux' && spawnSync('bash', ['-c', 'true']).status === 0

  it.skipIf(!hasShell).each(readdirSync(TUTORIALS))(
    'prints what its commands print: %s (needs bash and GNU sed)',
    (page) => {
      const { name, content, commands } = stepsOf(page)
      expect(commands.length).toBeGreaterThan(2)
      const folder = mkdtempSync(join(directory, 'reader-'))
      writeFileSync(join(folder, name), content)
      for (const { command, output } of commands) {
        const script = `kube-rules() { ${process.execPath} ${main} "$@"; }\n${command}`
        const { stdout, stderr } = spawnSync('bash', ['-c', script], { cwd: folder, encoding: 'utf8' })
        expect({ command, stdout }).toEqual({ command, stdout: output ?? '' })
        expect(stderr).not.toMatch(/^error|command not found/m)
      }
    },
  )
})
