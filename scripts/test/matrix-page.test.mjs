import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'

const ROOT = join(import.meta.dirname, '../..')
const hasPython = spawnSync('python3', ['--version']).status === 0

it.skipIf(!hasPython)('the command of fixtures/matrix/README.md tests the small implementation (needs Python)', () => {
  const page = readFileSync(join(ROOT, 'fixtures/matrix/README.md'), 'utf8')
  const [, command] = /^```sh\n(.*)\n```$/m.exec(page)
  const { status, stdout } = spawnSync('sh', ['-c', command], { cwd: ROOT, encoding: 'utf8' })
  expect({ status, stdout }).toMatchObject({
    status: 0,
    stdout: expect.stringMatching(/^(\d+) of \1 files of rules are equal$/m),
  })
})
