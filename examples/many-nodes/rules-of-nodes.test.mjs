import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, test } from 'node:test'
import { compile, print } from '@kube-rules/compiler'
import { changedNodes } from './changed-nodes.mjs'
import { writeRules } from './rules-of-nodes.mjs'

const NODE_NAMES = ['node-1', 'node-2', 'node-3']
const SERVICE = {
  kind: 'Service',
  metadata: { namespace: 'default', name: 'web' },
  spec: { clusterIP: '10.96.0.10', internalTrafficPolicy: 'Local', ports: [{ name: 'http', port: 80 }] },
}
const SLICE = {
  kind: 'EndpointSlice',
  metadata: { namespace: 'default', name: 'web-1', labels: { 'kubernetes.io/service-name': 'web' } },
  addressType: 'IPv4',
  ports: [{ name: 'http', port: 8080 }],
  endpoints: [{ addresses: ['10.244.2.5'], nodeName: 'node-2' }],
}
const nodes = NODE_NAMES.map((name) => ({ kind: 'Node', metadata: { name } }))
const folder = mkdtempSync(join(tmpdir(), 'many-nodes-'))
const file = join(folder, 'cluster.json')
after(() => rmSync(folder, { recursive: true }))

const rulesIn = (folder) => readdirSync(folder).filter((name) => !name.startsWith('summary-'))

test('two worker threads write the same output as a separate compile for each node', async () => {
  writeFileSync(file, JSON.stringify({ kind: 'List', items: [SERVICE, SLICE, ...nodes] }))
  const rules = join(folder, 'rules')
  await writeRules(file, rules, { threads: 2 })
  assert.equal(rulesIn(rules).length, 2 * NODE_NAMES.length)
  for (const nodeName of NODE_NAMES) {
    const { families } = compile({ services: [SERVICE], endpointSlices: [SLICE], nodes }, { nodeName })
    for (const { family, state } of families) {
      assert.equal(readFileSync(join(rules, `${nodeName}.${family}`), 'utf8'), print(state))
    }
  }
})

test('two machines write the files that one machine writes', async () => {
  const divided = join(folder, 'divided')
  for (const machine of [0, 1]) await writeRules(file, divided, { threads: 2, machine, machines: 2 })
  assert.deepEqual(rulesIn(divided), rulesIn(join(folder, 'rules')))
  assert.deepEqual(changedNodes(join(folder, 'rules'), divided), [])
})

test('the nodes with other rules are found, with the number of lines', async () => {
  const later = join(folder, 'later')
  await writeRules(writeMovedCluster(), later, { threads: 1 })
  const changed = changedNodes(join(folder, 'rules'), later)
  assert.deepEqual(
    changed.map(({ nodeName, family }) => `${nodeName} ${family}`),
    ['node-2 IPv4', 'node-3 IPv4'],
  )
  const [lost, gained] = changed
  assert.ok(lost.removed > lost.added)
  assert.deepEqual([gained.removed, gained.added], [lost.added, lost.removed])
})

test('the configuration of kube-proxy in the file applies to all nodes', async () => {
  const configured = join(folder, 'configured.json')
  const configuration = { kind: 'KubeProxyConfiguration', mode: 'nftables' }
  writeFileSync(configured, JSON.stringify({ kind: 'List', items: [configuration, SERVICE, SLICE, ...nodes] }))
  const rules = join(folder, 'configured')
  await writeRules(configured, rules, { threads: 1 })
  assert.match(readFileSync(join(rules, 'node-1.IPv4'), 'utf8'), /^add table ip kube-proxy/m)
})

test('digests without texts find the same nodes', async () => {
  const [earlier, later] = ['digests-earlier', 'digests-later'].map((name) => join(folder, name))
  await writeRules(file, earlier, { threads: 2, texts: false })
  await writeRules(writeMovedCluster(), later, { threads: 1, texts: false })
  assert.deepEqual(readdirSync(earlier), ['summary-0.json', 'summary-1.json'])
  assert.deepEqual(changedNodes(earlier, later), [
    { nodeName: 'node-2', family: 'IPv4' },
    { nodeName: 'node-3', family: 'IPv4' },
  ])
})

test('a new node has no removed lines, and a deleted node no added ones', async () => {
  const smaller = join(folder, 'smaller.json')
  writeFileSync(smaller, JSON.stringify({ kind: 'List', items: [SERVICE, SLICE, ...nodes.slice(1)] }))
  const [before, after] = [join(folder, 'smaller'), join(folder, 'rules')]
  await writeRules(smaller, before, { threads: 1 })
  const added = changedNodes(before, after)
  assert.deepEqual(
    added.map(({ nodeName, family, removed }) => `${nodeName} ${family} ${removed}`),
    ['node-1 IPv4 0', 'node-1 IPv6 0'],
  )
  assert.deepEqual(
    changedNodes(after, before).map(({ removed, added }) => [removed, added]),
    added.map(({ added }) => [added, 0]),
  )
})

test('the pods of the two Jobs run with the files of the image, and print the changed nodes', () => {
  const image = buildImage()
  const volume = join(folder, 'volume')
  mkdirSync(volume)
  const job = readFileSync(join(import.meta.dirname, 'job.yaml'), 'utf8')
  const [machines] = /(?<=value: ')\d+/.exec(job)
  assert.equal(machines, /completions: (\d+)/.exec(job)[1])
  assert.equal(machines, /parallelism: (\d+)/.exec(job)[1])
  const args = [...listIn(/ENTRYPOINT (.*)/, 'Dockerfile'), ...listIn(/args: (.*)/, 'job.yaml')]
  const run = ([, ...rest], env) => {
    const inVolume = rest.map((each) => each.replace(/^\/data/, volume))
    return execFileSync(process.execPath, inVolume, { cwd: image, encoding: 'utf8', env: { ...process.env, ...env } })
  }
  for (const [day, cluster] of Object.entries({ yesterday: file, today: writeMovedCluster() })) {
    cpSync(cluster, join(volume, 'cluster.json'))
    // With two threads, the three nodes are in the shares of the first two pods. The last pod has no node.
    for (const index of ['0', '1', '99']) {
      run(
        args.map((each) => each.replace('today', day)),
        { JOB_COMPLETION_INDEX: index, MACHINES: machines },
      )
    }
    assert.equal(rulesIn(join(volume, day)).length, 2 * NODE_NAMES.length)
  }
  const lines = run(listIn(/command: (.*)/, 'changes.yaml')).split('\n')
  assert.match(lines[0], /^node-2 IPv4: [1-9]\d* lines removed, \d+ added$/)
  assert.match(lines[1], /^node-3 IPv4: \d+ lines removed, [1-9]\d* added$/)
  assert.deepEqual(lines.slice(2), [''])
})

test('the commands of the README print the changed nodes', () => {
  const readme = readFileSync(join(import.meta.dirname, 'README.md'), 'utf8')
  const lines = Array.from(readme.matchAll(/^ {4}node (.*)/gm), ([, line]) => line)
  const [write, compare, writeDigests] = lines
  assert.equal(lines.length, 3)
  const cwd = join(folder, 'reader')
  mkdirSync(cwd)
  const run = (line) => {
    const [program, ...args] = line.split(' ')
    return execFileSync(process.execPath, [join(import.meta.dirname, program), ...args], { cwd, encoding: 'utf8' })
  }
  cpSync(file, join(cwd, 'cluster.json'))
  run(write.replace('today', 'yesterday'))
  cpSync(writeMovedCluster(), join(cwd, 'cluster.json'))
  run(write)
  assert.match(run(compare), /^node-2 IPv4: [1-9]\d* lines removed, \d+ added\nnode-3 IPv4: /)
  rmSync(join(cwd, 'today'), { recursive: true })
  run(writeDigests)
  assert.equal(run(compare), 'node-2 IPv4: other rules\nnode-3 IPv4: other rules\n')
})

test('the Jobs use the claim of volume.yaml', () => {
  const [name] = /(?<=\n {2}name: ).*/.exec(readFileSync(join(import.meta.dirname, 'volume.yaml'), 'utf8'))
  for (const manifest of ['job.yaml', 'changes.yaml']) {
    assert.match(readFileSync(join(import.meta.dirname, manifest), 'utf8'), new RegExp(`claimName: ${name} `))
  }
})

/** Writes the cluster with the endpoint on another node. Returns the file. */
function writeMovedCluster() {
  const slice = { ...SLICE, endpoints: [{ addresses: ['10.244.2.5'], nodeName: 'node-3' }] }
  const moved = join(folder, 'moved.json')
  writeFileSync(moved, JSON.stringify({ kind: 'List', items: [SERVICE, slice, ...nodes] }))
  return moved
}

/** Returns a folder with the files that the Dockerfile copies. */
function buildImage() {
  const image = join(folder, 'image')
  mkdirSync(image)
  const copies = readFileSync(join(import.meta.dirname, 'Dockerfile'), 'utf8').matchAll(/^COPY (.*) \.\/(.*)$/gm)
  for (const [, sources, target] of copies) {
    for (const name of sources.split(' ')) {
      const to = join(image, target || name)
      if (name === 'node_modules') symlinkSync(findPackages(import.meta.dirname), to)
      else cpSync(join(import.meta.dirname, name), to)
    }
  }
  return image
}

/** Returns the folder with the installed packages: that of the example, or of a project around it. */
function findPackages(folder) {
  const packages = join(folder, 'node_modules')
  return existsSync(join(packages, '@kube-rules/compiler')) ? packages : findPackages(dirname(folder))
}

/** Returns the items of a list in one line of a file, with or without quotes. */
function listIn(pattern, name) {
  const [, list] = pattern.exec(readFileSync(join(import.meta.dirname, name), 'utf8'))
  return list.match(/[^[\], '"]+/g)
}

test('a failing worker thread fails the whole run', async () => {
  await assert.rejects(writeRules(join(folder, 'none.json'), join(folder, 'none'), { threads: 2 }), { code: 'ENOENT' })
})
