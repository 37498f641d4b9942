import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

// Every tutorial is followed as it is printed: the file that the reader saves, each command, and each output.

const TUTORIALS = new URL('../../../docs/tutorials/', import.meta.url)
/** The packages that a reader installs, after a build. */
const PACKAGES = fileURLToPath(new URL('../../../examples/controller/node_modules', import.meta.url))
const bundleCommand = fileURLToPath(new URL('../../../scripts/bundle-command.mjs', import.meta.url))
const directory = mkdtempSync(join(tmpdir(), 'tutorials-'))
const main = join(directory, 'kube-rules.mjs')

/** The files to save, then each command with its output, if the page prints one. */
function stepsOf(page: string) {
  const text = readFileSync(new URL(page, TUTORIALS), 'utf8')
  const files = text.matchAll(/[Ss]ave this as `(?<name>[^`]+)`(?:(?!```).)*```\w+\n(?<content>.*?)```/gs)
  const commands = Array.from(
    text.matchAll(/```sh\n(.*?)```\n(?:\n```\n(.*?)```\n)?/gs),
    ([, command = '', output]) => ({
      command,
      output,
    }),
  )
  return { files: Array.from(files, ({ groups }) => groups ?? {}), commands }
}

beforeAll(() => {
  const { status, stderr } = spawnSync(process.execPath, [bundleCommand, main], { encoding: 'utf8' })
  if (status !== 0) throw new Error(`not bundled: ${stderr}`)
})

afterAll(() => rmSync(directory, { recursive: true }))

/** Follows a tutorial in a folder of its own. */
function follow(page: string): void {
  const { files, commands } = stepsOf(page)
  expect(files.length).toBeGreaterThan(0)
  expect(commands.length).toBeGreaterThan(1)
  const folder = mkdtempSync(join(directory, 'reader-'))
  symlinkSync(PACKAGES, join(folder, 'node_modules'))
  for (const { name = '', content = '' } of files) writeFileSync(join(folder, name), content)
  for (const { command, output } of commands) {
    const script = `kube-rules() { ${process.execPath} ${main} "$@"; }\n${command}`
    const { stdout, stderr } = spawnSync('bash', ['-c', script], { cwd: folder, encoding: 'utf8' })
    expect({ command, stdout }).toEqual({ command, stdout: output ?? '' })
    expect(stderr).not.toMatch(/^error|command not found/m)
  }
}

describe('a tutorial', () => {
  const hasShell = process.platform === 'linux' && spawnSync('bash', ['-c', 'true']).status === 0
  const isBuilt = existsSync(join(PACKAGES, '@kube-rules/compiler/dist/index.js'))
  const pages = readdirSync(TUTORIALS)
  const usesPackages = (page: string) => stepsOf(page).files.some(({ name = '' }) => name.endsWith('.mjs'))

  it.skipIf(!hasShell).each(pages.filter((page) => !usesPackages(page)))(
    'prints what its commands print: %s (needs bash and GNU sed)',
    follow,
  )

  it.skipIf(!hasShell || !isBuilt).each(pages.filter(usesPackages))(
    'prints what its programs print: %s (needs bash and a build)',
    follow,
  )
})
