import { describe, expect, it } from 'vitest'
import { clusterJson, service, slice } from '../support/objects.js'
import { run } from '../support/run.js'

// Kustomize and Helm put manifests into subdirectories, which -f reads only with -R.

const web = service('web', ['10.0.0.1'])
const same = clusterJson(web, slice('web', '10.1.0.1'))
const files = {
  'old/a.json': same,
  'old/overlays/b.json': clusterJson(service('shop', ['10.0.0.2']), slice('shop', '10.1.0.2')),
  'new/a.json': same,
  'new/overlays/b.json': clusterJson(service('shop', ['10.0.0.2']), slice('shop', '10.1.0.3')),
}

const diff = (...args: readonly string[]) => run(['diff', 'old', 'new', '--family', '4', ...args], { files })

describe('a subdirectory that was not read', () => {
  it('makes "no difference" a statement about the other files', async () => {
    const text = await diff('--traffic')
    expect(text.exitCode).toBe(2)
    expect(text.stdout).toMatch(
      /^in the files that were read, no difference in \d+ classes of packets\nnot read: old\/overlays, new\/overlays; -R reads them\n$/,
    )
    const markdown = await diff('--traffic', '-o', 'markdown')
    expect(markdown.exitCode).toBe(2)
    expect(markdown.stdout).toMatch(
      /^in the files that were read, no difference in \d+ classes of packets\n- \*\*not read: `old\/overlays`, `new\/overlays`\*\*; `-R` reads them\n$/,
    )
    const json = await diff('--traffic', '-o', 'json')
    expect(JSON.parse(json.stdout)).toMatchObject({ notRead: ['old/overlays', 'new/overlays'] })
  })

  it('is named on standard error, and makes the exit code of an empty script 2', async () => {
    const { exitCode, stdout, stderr } = await diff()
    expect([exitCode, stdout]).toEqual([2, ''])
    expect(stderr).toContain('note: new: not read: new/overlays; -R reads them\n')
    const printed = await run(['print', '-f', 'old', '--family', '4'], { files })
    expect(printed.stderr).toContain('note: not read: old/overlays; -R reads them\n')
  })

  it('limits the results of prove and doctor to the other files', async () => {
    const node = { apiVersion: 'v1', kind: 'Node', metadata: { name: 'node-1' } }
    const all = { ...files, 'old/node.json': JSON.stringify(node) }
    for (const command of ['prove', 'doctor']) {
      const text = await run([command, '-f', 'old'], { files: all })
      expect([text.exitCode, text.stdout.split('\n').slice(-2)]).toEqual([
        2,
        ['not read: old/overlays; -R reads them', ''],
      ])
      const json = await run([command, '-f', 'old', '-o', 'json'], { files: all })
      expect([json.exitCode, JSON.parse(json.stdout).notRead]).toEqual([2, ['old/overlays']])
      const whole = await run([command, '-f', 'old', '-R'], { files: all })
      expect([whole.exitCode, whole.stdout.includes('not read')]).toEqual([0, false])
    }
  })

  it('may have a dot in its name, unlike a hidden one', async () => {
    const more = { ...files, 'old/v1.2/c.json': same, 'old/.cache/d.json': same, 'old/README.md': 'x' }
    const { stderr } = await run(['print', '-f', 'old', '--family', '4'], { files: more })
    expect(stderr).toContain('note: not read: old/overlays, old/v1.2; -R reads them\n')
  })

  it('is read with -R', async () => {
    const { exitCode, stdout } = await diff('--traffic', '-R')
    expect(exitCode).toBe(1)
    expect(stdout).toContain('default/shop:http')
    expect(stdout).not.toContain('not read')
  })

  it('makes the exit code of compare 2', async () => {
    const args = ['compare', '-f', 'old', '--kubernetes-versions', '1.31,1.31', '--family', '4']
    expect((await run(args, { files })).exitCode).toBe(2)
    expect((await run([...args, '-R'], { files })).exitCode).toBe(0)
  })
})

describe('objects that have to be rendered first', () => {
  it('are named with the command that renders them', async () => {
    const template = {
      apiVersion: 'template.openshift.io/v1',
      kind: 'Template',
      metadata: { name: 'a' },
      objects: [web],
    }
    const command = 'oc process -f FILE -o yaml --local | kube-rules print -f -'
    const alone = await run(['print', '-f', 'a.json'], { files: { 'a.json': JSON.stringify(template) } })
    expect([alone.exitCode, alone.stdout]).toEqual([2, ''])
    expect(alone.stderr).toContain(`; objects of a Template are not read; render it first: ${command}\n`)
    const mixed = await run(['print', '-f', 'a.json'], { files: { 'a.json': clusterJson(web, template) } })
    expect(mixed.stderr).toContain(`note: objects of a Template are not read; render it first: ${command}\n`)
    const kustomization = JSON.stringify({ kind: 'Kustomization', resources: ['web.yaml'] })
    const rendered = await run(['print', '-f', 'a.json'], { files: { 'a.json': kustomization } })
    expect(rendered.stderr).toContain('render it first: kubectl kustomize DIRECTORY | kube-rules print -f -\n')
  })
})
