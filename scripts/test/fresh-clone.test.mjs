import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'

const ROOT = join(import.meta.dirname, '../..')
const read = (path) => readFileSync(join(ROOT, path), 'utf8')

const { packageManager } = JSON.parse(read('package.json'))
const { repository } = JSON.parse(read('packages/cli/package.json'))

/** Returns the indented command lines of the README, without their comments. */
const commands = read('README.md')
  .split('\n')
  .flatMap((line) => /^ {4}(.*?)(?: +#.*)?$/.exec(line)?.[1] ?? [])

describe('the README', () => {
  it('names the commands for a fresh clone, with the package manager of the workspace', () => {
    const address = repository.url.replace(/^git\+/, '').replace(/\.git$/, '')
    expect(commands).toContain(`git clone ${address} && cd kube-rules`)
    expect(commands).toContain(`npx -y ${packageManager} start`)
    expect(commands).toContain(`npx -y ${packageManager} test`)
  })

  it('names the test command that .ci/run calls', () => {
    expect(read('.ci/run')).toMatch(new RegExp(`^  .* npx -y ${packageManager} test$`, 'm'))
  })
})
