import { execFileSync, spawnSync } from 'node:child_process'
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parseYaml } from '../../application/src/cluster/parse-yaml.js'

// Runs the shell of the recipes for CI as it stands in their files, in a clone of a Git repository. The command is the
// single file. `helm`, `kubectl kustomize`, `gh`, `curl` and `npm install` are stand-ins. Steps that use other actions are
// replaced by what `actions/checkout` does.

const root = fileURLToPath(new URL('../../..', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'ci-'))
const bin = join(folder, 'bin')
const command = join(folder, 'kube-rules.mjs')
const hasShell =
  process.platform === 'linux' && ['bash', 'git'].every((tool) => spawnSync(tool, ['--version']).status === 0)

const STAND_INS: Readonly<Record<string, string>> = {
  // helm template release CHART
  helm: 'cat "$3"/templates/*.yaml',
  // kubectl kustomize FOLDER
  kubectl: 'sed -n "s/^- //p" "$2/kustomization.yaml" | while read -r name; do cat "$2/$name"; done',
  gh: [
    'echo "gh $*" | sed "s#@/[^ ]*#FILE#" >>"$LOG"',
    'for word in "$@"; do case $word in body=@*) cp "$(echo "$word" | cut -c7-)" "$LOG.body";; esac; done',
    'case $* in *--paginate*) cat "$LOG.comments" 2>/dev/null || :;; *--body-file*) cp "$5" "$LOG.body";; esac',
  ].join('\n'),
  curl: 'for word in "$@"; do case $word in http*) echo "curl $word" >>"$LOG";; esac; done; cp traffic.md "$LOG.body"',
  npx: 'shift; exec kube-rules "$@"',
  npm: [
    `if [ "$1" != install ]; then exec ${join(process.execPath, '../npm')} "$@"; fi`,
    'echo "npm $*" >>"$LOG"',
    'case $2 in --prefix) cd "$3";; esac',
    'mkdir -p node_modules/.bin',
    `printf '#!/bin/sh\\nexec ${process.execPath} ${command} "$@"\\n' >node_modules/.bin/kube-rules`,
    'chmod +x node_modules/.bin/kube-rules',
  ].join('\n'),
}

beforeAll(() => {
  if (!hasShell) return
  execFileSync(process.execPath, [join(root, 'scripts/bundle-command.mjs'), command])
  mkdirSync(bin)
  for (const [name, script] of Object.entries(STAND_INS)) {
    writeFileSync(join(bin, name), `#!/bin/sh\nset -e\n${script}\n`)
    chmodSync(join(bin, name), 0o755)
  }
})

afterAll(() => rmSync(folder, { recursive: true }))

const MANIFEST = readFileSync(join(root, 'examples/ci/manifests/web.yaml'), 'utf8')
const CHANGED = MANIFEST.replace('containerPort: 8080', 'containerPort: 9090')

/** The files of a repository: the recipe, and manifests in one of three forms. */
const LAYOUTS = {
  plain: (manifest: string) => ({ 'manifests/web.yaml': manifest }),
  helm: (manifest: string) => ({ 'manifests/Chart.yaml': 'name: web\n', 'manifests/templates/web.yaml': manifest }),
  kustomize: (manifest: string) => ({
    'manifests/kustomization.yaml': 'resources:\n- web/web.yaml\n',
    'manifests/web/web.yaml': manifest,
  }),
} as const

type Layout = keyof typeof LAYOUTS

interface Checkout {
  readonly path: string
  readonly base: string
  readonly log: string
  readonly git: (...args: readonly string[]) => string
}

function write(path: string, files: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(join(path, name, '..'), { recursive: true })
    writeFileSync(join(path, name), text)
  }
}

/**
 * Creates a repository with a base and a head commit, and a shallow clone of the head. Both commits contain the command
 * under each of the given names.
 */
function checkOut(layout: Layout, head: string, commands: readonly string[] = []): Checkout {
  const origin = mkdtempSync(join(folder, 'origin-'))
  const gitIn =
    (cwd: string) =>
    (...args: readonly string[]) =>
      execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.org', ...args], { cwd, encoding: 'utf8' })
  const git = gitIn(origin)
  git('init', '--quiet', '--initial-branch=main')
  git('config', 'uploadpack.allowAnySHA1InWant', 'true')
  cpSync(join(root, 'examples/ci'), origin, { recursive: true, filter: (path) => !path.includes('node_modules') })
  rmSync(join(origin, 'manifests'), { recursive: true })
  for (const name of commands) cpSync(command, join(origin, name))
  for (const manifest of [MANIFEST, head]) {
    write(origin, LAYOUTS[layout](manifest))
    git('add', '--all')
    git('commit', '--quiet', '--allow-empty', '--message=change')
  }
  const path = mkdtempSync(join(folder, 'clone-'))
  git('clone', '--quiet', '--depth=1', `file://${origin}`, path)
  return { path, base: git('rev-parse', 'HEAD^').trim(), log: join(path, '..', `${path}.log`), git: gitIn(path) }
}

interface Step {
  readonly uses?: string
  readonly run?: string
  readonly if?: string
  readonly with?: Readonly<Record<string, string>>
  readonly env?: Readonly<Record<string, string>>
  readonly 'working-directory'?: string
}

/** Replaces the expressions in a value by what GitHub would insert. */
function evaluate(text: string, values: Readonly<Record<string, string>>): string {
  return text.replace(/\$\{\{ (.*?) \}\}/g, (_all, name: string) => {
    if (values[name] === undefined) throw new Error(`unknown expression ${name}`)
    return values[name]
  })
}

function shell(script: string, cwd: string, env: Readonly<Record<string, string>>, log: string) {
  const path = `${bin}:${process.env.PATH}`
  const { status, stdout, stderr } = spawnSync('bash', ['--noprofile', '--norc', '-eo', 'pipefail', '-c', script], {
    ...{ cwd, encoding: 'utf8' },
    env: { HOME: folder, PATH: path, NO_COLOR: '1', npm_config_update_notifier: 'false', LOG: log, ...env },
  })
  return { status, output: stdout + stderr }
}

/** Runs the steps of a workflow or of an action. Returns the first exit code that is not 0, like a job. */
function runSteps(steps: readonly Step[], checkout: Checkout, values: Readonly<Record<string, string>>) {
  const { path, base, log, git } = checkout
  const temp = join(path, '..', `${path}.tmp`)
  mkdirSync(temp, { recursive: true })
  const all = { 'github.event.pull_request.base.sha': base, 'runner.temp': temp, 'github.token': 'token', ...values }
  const summary = `${log}.summary`
  const outputs: string[] = []
  let status = 0
  for (const step of steps) {
    const condition = step.if ?? 'success()'
    const skipped = Object.keys(values).some((name) => condition === name && values[name] === 'false')
    if (skipped || (status !== 0 && !condition.startsWith('always()'))) continue
    if (condition.includes('head.repo.full_name') && values.fork === 'true') continue
    if (step.uses?.startsWith('actions/checkout@') && step.with?.path !== undefined) {
      git('fetch', '--quiet', '--depth=1', 'origin', evaluate(step.with.ref ?? '', all))
      git('worktree', 'add', '--force', '--quiet', '--detach', step.with.path, 'FETCH_HEAD')
    }
    if (step.run === undefined) continue
    const variables = { RUNNER_TEMP: temp, GITHUB_STEP_SUMMARY: summary, GITHUB_REPOSITORY: 'shop/deploy' }
    const env = Object.entries(step.env ?? {}).map(([name, text]) => [name, evaluate(text, all)])
    const cwd = step['working-directory'] === undefined ? path : evaluate(step['working-directory'], all)
    const ran = shell(step.run, cwd, { ...variables, GITHUB_ACTION_PATH: root, ...Object.fromEntries(env) }, log)
    outputs.push(ran.output)
    status ||= ran.status ?? 1
  }
  const read = (name: string) => (existsSync(name) ? readFileSync(name, 'utf8') : '')
  return { status, output: outputs.join(''), summary: read(summary), calls: read(log), body: read(`${log}.body`) }
}

const readPage = () => readFileSync(join(root, 'docs/how-to/comment-on-pull-requests.md'), 'utf8')
const readYaml = (name: string) => Object(parseYaml(readFileSync(join(root, name), 'utf8'))[0])
const stepsOf = (yaml: unknown, ...keys: readonly string[]) =>
  keys.reduce((value, key) => Object(value)[key], yaml) as readonly Step[]

interface Job {
  readonly if?: string
  readonly permissions?: Readonly<Record<string, string>>
  readonly steps: readonly Step[]
}

const jobsOf = (yaml: unknown) => Object.values(Object(yaml).jobs as Readonly<Record<string, Job>>)
/** The steps of both jobs. The condition of a job applies to each of its steps. */
const workflow = () =>
  jobsOf(readYaml('examples/ci/workflow.yaml')).flatMap((job) =>
    job.steps.map((step) => (job.if === undefined ? step : { if: job.if, ...step })),
  )
const action = () => stepsOf(readYaml('action.yml'), 'runs', 'steps')
/** The steps of the complete workflow in the documentation. */
const pageWorkflow = () => {
  const [, text = ''] = /^### Before the packages are published\n.*?^```yaml\n(.*?)^```$/ms.exec(readPage()) ?? []
  return stepsOf(parseYaml(text)[0], 'jobs', 'traffic', 'steps')
}
const CHANGE = /^\*\*1 change\*\* from `old` to `new`.*\n- \*\*`shop\/web:http\/TCP`\*\*: .*:8080.* → .*:9090/m

/** The values of the expressions in the action. */
const inputs = (values: Readonly<Record<string, string>> = {}) => ({
  ...{ 'inputs.path': 'manifests', 'inputs.options': '', 'inputs.command': '', 'inputs.token': 'token' },
  ...{ 'inputs.base': '', 'github.event.pull_request.number': '7' },
  ...values,
})

describe.skipIf(!hasShell)('the action', () => {
  const run = (checkout: Checkout, values: Readonly<Record<string, string>> = {}) =>
    runSteps(action(), checkout, { ...inputs(), 'inputs.base': checkout.base, ...values })

  it.each(Object.keys(LAYOUTS) as readonly Layout[])('reports and comments a change of a %s repository', (layout) => {
    const { status, summary, calls, body } = run(checkOut(layout, CHANGED))
    expect(status).toBe(0)
    expect(summary).toMatch(CHANGE)
    expect(body).toMatch(/^<!-- kube-rules -->\n### Packets to Services\n\*\*1 change\*\*/)
    expect(calls.split('\n').at(-2)).toBe(
      'gh api --silent --method POST --field body=FILE repos/shop/deploy/issues/7/comments',
    )
    expect(calls).toMatch(/^npm install --prefix kube-rules --ignore-scripts .* @kube-rules\/cli@\d+\.\d+\.\d+$/m)
  })

  it('writes no comment without a change, unless an earlier one has to be replaced', () => {
    const checkout = checkOut('plain', MANIFEST)
    expect(run(checkout)).toMatchObject({ status: 0, body: '' })
    writeFileSync(`${checkout.log}.comments`, '41\n42\n')
    const { calls, body } = run(checkout)
    expect(calls).toContain('gh api --silent --method PATCH --field body=FILE repos/shop/deploy/issues/comments/41\n')
    expect(body).toContain('no difference in ')
  })

  it('writes only the summary for a fork, and passes options and another command', () => {
    const values = {
      fork: 'true',
      'inputs.command': `${process.execPath} ${command}`,
      'inputs.options': '--family 4 -R',
    }
    const { status, summary, calls } = run(checkOut('plain', CHANGED), values)
    expect({ status, calls }).toEqual({ status: 0, calls: expect.not.stringContaining('gh') })
    expect(summary).toMatch(CHANGE)
  })

  it('fails with exit code 2 if the manifests cannot be read', () => {
    const checkout = checkOut('plain', MANIFEST)
    write(checkout.path, { 'manifests/web.yaml': 'kind: [' })
    const { status, output } = run(checkout)
    expect(status).toBe(2)
    expect(output).toContain('error: ')
  })

  it('reports a folder that is new', () => {
    const checkout = checkOut('plain', MANIFEST)
    write(checkout.path, { 'new/web.yaml': MANIFEST })
    expect(run(checkout, { 'inputs.path': 'new' })).toMatchObject({
      status: 0,
      summary: 'nothing to compare: `new` is only in one of the versions\n',
    })
  })

  it('runs no text of a pull request as a script', () => {
    const { output, summary } = run(checkOut('plain', CHANGED), { 'inputs.path': 'x"; echo attack; "' })
    expect(output + summary).not.toMatch(/^attack/m)
  })
})

describe.skipIf(!hasShell)('the workflow to copy', () => {
  const values = { 'github.event.pull_request.number': '7' }

  it.each(Object.keys(LAYOUTS) as readonly Layout[])('comments a change of a %s repository', (layout) => {
    const steps = layout === 'plain' ? workflow() : workflow().filter((step) => step.run !== 'npm test')
    const { status, output, summary, body } = runSteps(steps, checkOut(layout, CHANGED), values)
    // The committed rules no longer fit the plain manifests, which `npm test` reports.
    expect({ status, output: status === 0 || output.includes(':9090') }).toEqual({
      status: layout === 'plain' ? 1 : 0,
      output: true,
    })
    expect(summary).toMatch(CHANGE)
    expect(body).toContain('**1 change**')
  })

  it('succeeds without a change', () => {
    expect(runSteps(workflow(), checkOut('plain', MANIFEST), values)).toMatchObject({ status: 0, body: '' })
  })
})

describe.skipIf(!hasShell)('the job of GitLab', () => {
  const script = (Object(readYaml('examples/ci/gitlab-ci.yaml').traffic).script as readonly string[]).join('\n')
  const run = (checkout: Checkout, env: Readonly<Record<string, string>>) => {
    const { path, base, log } = checkout
    const { status } = shell(script, path, { CI_MERGE_REQUEST_DIFF_BASE_SHA: base, ...env }, log)
    const read = (name: string) => (existsSync(name) ? readFileSync(name, 'utf8') : '')
    return { status, calls: read(log), report: read(join(path, 'traffic.md')) }
  }

  it('writes the report, and a comment only with a token', () => {
    const env = {
      ...{ KUBE_RULES_TOKEN: 'token', CI_API_V4_URL: 'https://gitlab.example.org/api/v4' },
      ...{ CI_MERGE_REQUEST_PROJECT_ID: '3', CI_MERGE_REQUEST_IID: '7' },
    }
    const changed = run(checkOut('plain', CHANGED), env)
    // The committed rules no longer fit.
    expect(changed.status).toBe(1)
    expect(changed.report).toMatch(CHANGE)
    expect(changed.calls).toContain('curl https://gitlab.example.org/api/v4/projects/3/merge_requests/7/notes\n')
    const same = run(checkOut('plain', MANIFEST), {})
    expect(same).toMatchObject({ status: 0, calls: expect.not.stringContaining('curl') })
  })
})

describe.skipIf(!hasShell)('the recipe of the documentation', () => {
  it('tests a copy of the example with the single file, and writes its rules', () => {
    const [, section = ''] = /^## On GitLab\n(.*?)^## /ms.exec(readPage()) ?? []
    const [test = '', update = '', ...others] = Array.from(
      section.matchAll(/^```sh\n(.*?)^```$/gms),
      ([, script]) => script,
    )
    expect(others).toEqual([])
    const { path, log } = checkOut('plain', CHANGED)
    cpSync(command, join(path, 'kube-rules.mjs'))
    expect(shell(test, path, {}, log)).toMatchObject({ status: 1, output: expect.stringContaining(':9090') })
    expect(shell(update, path, {}, log)).toMatchObject({ status: 0 })
    expect(readFileSync(join(path, 'rules.txt'), 'utf8')).toContain(':9090')
    expect(shell(test, path, {}, log)).toMatchObject({ status: 0 })
  })

  it.each([
    ['with a change', CHANGED, CHANGE],
    ['without a change', MANIFEST, /^no difference/],
  ] as const)('comments %s', (_title, head, expected) => {
    const [, recipe = ''] = /^## Elsewhere\n.*?^```sh\n(.*?)^```$/ms.exec(readPage()) ?? []
    const checkout = checkOut('plain', MANIFEST)
    write(checkout.path, { 'base/manifests/web.yaml': MANIFEST, 'head/manifests/web.yaml': head })
    expect(shell('npm install', checkout.path, {}, checkout.log).status).toBe(0)
    const env = { PULL_REQUEST: '7', PATH: `${checkout.path}/node_modules/.bin:${bin}:${process.env.PATH}` }
    const { status, output } = shell(recipe, checkout.path, env, checkout.log)
    expect({ status, output }).toMatchObject({ status: 0 })
    expect(readFileSync(`${checkout.log}.body`, 'utf8')).toMatch(expected)
  })
})

describe.skipIf(!hasShell)('the workflow without the action', () => {
  const run = (head: string, token: Readonly<Record<string, string>> = {}) => {
    const checkout = checkOut('plain', head, ['kube-rules.mjs'])
    return runSteps(pageWorkflow(), checkout, { 'github.event.pull_request.number': '7', ...token })
  }

  it('reports and comments a change', () => {
    const { status, summary, calls, body } = run(CHANGED)
    expect(status).toBe(0)
    expect(summary).toMatch(CHANGE)
    expect(body).toBe(summary)
    expect(calls).toMatch(/^gh pr comment 7 --body-file traffic.md --edit-last --create-if-none$/m)
  })

  it('comments that nothing changes, and writes only the summary for a fork', () => {
    expect(run(MANIFEST)).toMatchObject({ status: 0, body: expect.stringMatching(/^no difference/) })
    expect(run(CHANGED, { fork: 'true' })).toMatchObject({
      status: 0,
      body: '',
      summary: expect.stringMatching(CHANGE),
    })
  })

  it('fails if the manifests cannot be read', () => {
    expect(run('kind: [')).toMatchObject({ status: 1, body: '', output: expect.stringContaining('error: ') })
  })
})

describe('the files for GitHub', () => {
  const workflows = ['ci', 'vitest-matcher'].map((name) => `examples/${name}/workflow.yaml`)
  const own = readdirSync(join(root, '.github/workflows')).map((name) => `.github/workflows/${name}`)

  it.each([...workflows, ...own])('%s installs packages only in jobs with a read-only token', (name) => {
    const yaml = readYaml(name)
    const installing = jobsOf(yaml).filter(({ steps }) =>
      steps.some(({ run = '' }) => /\bnpm (?:install|ci|test)\b|\bpnpm\b|\.ci\/run/.test(run)),
    )
    expect(installing.length).toBeGreaterThan(0)
    for (const { permissions = yaml.permissions } of installing)
      expect(Object.values(permissions)).not.toContain('write')
  })

  it.each(['action.yml', 'examples/ci/workflow.yaml', 'docs/how-to/comment-on-pull-requests.md'])(
    '%s uses pinned actions, and no expression in a script',
    (name) => {
      const steps = name === 'action.yml' ? action() : name.endsWith('.md') ? pageWorkflow() : workflow()
      for (const { uses, run } of steps) {
        if (uses !== undefined) expect(uses).toMatch(/^[\w/-]+@[0-9a-f]{40}$/)
        expect(run ?? '').not.toContain('${{')
      }
      expect(readFileSync(join(root, name), 'utf8')).not.toMatch(/^on: .*pull_request_target/m)
    },
  )
})
