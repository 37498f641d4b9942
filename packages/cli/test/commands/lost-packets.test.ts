import { beforeAll, describe, expect, it } from 'vitest'
import { clusterJson, configuration, service, slice } from '../support/objects.js'
import { run } from '../support/run.js'

// verify and explain point to each other: rules without drift may lose packets, and drift may explain a lost packet.

const web = service('web', ['10.0.0.1'])
const other = service('other', ['10.0.0.2'])
const pods = configuration({ clusterCIDR: '10.1.0.0/16' })
const cluster = clusterJson(web, other, slice('web', '10.1.0.1'), slice('other', '10.1.0.2'), pods)

let dump = ''

beforeAll(async () => {
  const { stdout } = await run(['print', '-f', 'a.json', '--format', 'save', '--family', '4'], {
    files: { 'a.json': cluster },
  })
  dump = stdout
})

const on = (name: 'verify' | 'explain', text: string, ...args: readonly string[]) =>
  run([name, '-f', 'a.json', '--dump', 'node.dump', ...args], { files: { 'a.json': cluster, 'node.dump': text } })

describe('verify of a node without drift', () => {
  it('diagnoses packets that a rule of another program loses, once for each rule', async () => {
    const change = dump.replace(/^-A FORWARD /m, '-A FORWARD -p tcp -j DROP\n-A FORWARD ')
    const { exitCode, stdout } = await on('verify', change)
    expect(exitCode).toBe(0)
    expect(stdout.split('\n').slice(0, 2)).toEqual([
      'On node node-1, packets from a pod to 10.0.0.2:80/TCP are dropped by a rule of another program, such as a firewall',
      "why: kube-proxy sends them to 10.1.0.2:8080, an endpoint of Service default/other; then rule 1 of FORWARD, which is not kube-proxy's, drops them; the same applies to packets to 1 other frontend",
    ])
    expect(stdout.match(/^why: /gm)).toHaveLength(1)
    expect(stdout).toMatch(/^rule: line \d+ of node\.dump, in table filter: -A FORWARD -p tcp -j DROP$/m)
    expect(stdout.endsWith('\nno drift\n')).toBe(true)
  })

  it('has no diagnosis of packets that a known program serves itself', async () => {
    const rule = '-A PREROUTING -d 10.0.0.1/32 -m comment --comment "NodeLocal DNS Cache: skip conntrack" -j NOTRACK'
    const raw = `*raw\n:PREROUTING ACCEPT [0:0]\n:OUTPUT ACCEPT [0:0]\n${rule}\nCOMMIT\n`
    expect(await on('verify', dump + raw)).toEqual({ exitCode: 0, stdout: 'no drift\n', stderr: '' })
  })

  it('refers to explain if a packet has no diagnosis', async () => {
    const change = dump.replace(/^-A PREROUTING /m, '-A PREROUTING -d 10.0.0.1/32 -j ACCEPT\n-A PREROUTING ')
    const { exitCode, stdout, stderr } = await on('verify', change)
    expect([exitCode, stdout]).toEqual([0, 'no drift\n'])
    expect(stderr).toBe(
      'note: packets to 10.0.0.1:80/TCP have another outcome than the objects define; to see it, run kube-rules explain 10.0.0.1:80/tcp with the same objects and --dump\n',
    )
  })

  it('diagnoses at most 20 rules, and refers to explain for the packets of further rules', async () => {
    const numbers = Array.from({ length: 22 }, (_, index) => index + 1)
    const services = numbers.flatMap((n) => [service(`s${n}`, [`10.0.0.${n}`]), slice(`s${n}`, `10.1.0.${n}`)])
    const files = { 'a.json': clusterJson(...services, pods) }
    const { stdout: rules } = await run(['print', '-f', 'a.json', '--format', 'save', '--family', '4'], { files })
    const drops = numbers.map((n) => `-A FORWARD -d 10.1.0.${n}/32 -p tcp -j DROP\n`).join('')
    const { stdout, stderr } = await run(['verify', '-f', 'a.json', '--dump', 'node.dump'], {
      files: { ...files, 'node.dump': rules.replace(/^-A FORWARD /m, `${drops}-A FORWARD `) },
    })
    expect(stdout.match(/^why: /gm)).toHaveLength(20)
    expect(
      stderr.match(/^note: packets to 10\.0\.0\.\d+:80\/TCP have another outcome .* run kube-rules explain /gm),
    ).toHaveLength(2)
  })

  it('traces at most 2,000 frontends, and prints their number', async () => {
    const services = Array.from({ length: 2100 }, (_, index) =>
      service(`s${index}`, [`10.0.${index >> 8}.${index & 255}`]),
    )
    const files = { 'a.json': clusterJson(...services, slice('s0', '10.1.0.1'), pods) }
    const { stdout } = await run(['print', '-f', 'a.json', '--format', 'save', '--family', '4'], { files })
    const { stderr } = await run(['verify', '-f', 'a.json', '--dump', 'node.dump'], {
      files: { ...files, 'node.dump': stdout },
    })
    expect(stderr).toBe('note: only packets to 2000 of 2100 frontends were traced\n')
  })
})

describe('explain of a packet that drift explains', () => {
  it('prints the diagnosis of the drift, with the repair', async () => {
    const { exitCode, stdout, stderr } = await on(
      'explain',
      dump.replace(/^-A PREROUTING .*\n/m, ''),
      'web',
      '--from',
      'pod',
    )
    expect(exitCode).toBe(1)
    expect(stdout).toMatch(
      /^On node node-1, packets from a pod to 10\.0\.0\.1:80\/TCP are not handled by kube-proxy: chain PREROUTING of table nat has no jump to KUBE-SERVICES\nwhy: chain PREROUTING of table nat has no jump to KUBE-SERVICES for them/,
    )
    expect(stdout).toContain('run kube-rules verify with the same objects, the new dump and the option --script')
    expect(stderr).not.toContain('to see the cause')
  })

  it('prints no diagnosis of another Service', async () => {
    const change = dump
      .replaceAll('10.1.0.2:8080', '10.1.0.9:8080')
      .replace(/^-A KUBE-SEP-\S+ -p tcp .*default\/web.*\n/m, '')
    const { stdout } = await on('explain', change, 'web', '--from', 'pod')
    expect(stdout).toContain(': a part of the rules of default/web:http is missing on the node\n')
    expect(stdout).not.toContain('default/other')
  })
})

describe('explain of a packet that only another program handles', () => {
  const NOTE =
    'note: a rule of another program changes the destination, and no Service has the original one; kube-rules verify does not compare rules of other programs\n'
  const send = (to: string) =>
    dump.replace(
      /^-A PREROUTING /m,
      `-A PREROUTING -d 100.64.0.5/32 -p tcp -j DNAT --to-destination ${to}\n-A PREROUTING `,
    )
  const ask = (text: string) => on('explain', text, '100.64.0.5:443', '--from', 'outside')

  it('does not refer to verify, which finds no drift', async () => {
    const { exitCode, stdout, stderr } = await ask(send('10.1.0.9:443'))
    expect([exitCode, stderr]).toEqual([1, NOTE])
    expect(stdout).toMatch(/=> 10\.1\.0\.9:443\n$/)
    expect((await on('verify', send('10.1.0.9:443'))).stdout).toBe('no drift\n')
  })

  it('does not refer to verify for a chain of another program with a name that starts with KUBE-', async () => {
    const chain = dump.replace(
      /^-A PREROUTING /m,
      '-A PREROUTING -d 100.64.0.5/32 -p tcp -j KUBE-EDGE-GATEWAY\n-A KUBE-EDGE-GATEWAY -p tcp -j DNAT --to-destination 10.1.0.9:443\n-A PREROUTING ',
    )
    expect((await ask(chain.replace(/^:PREROUTING/m, ':KUBE-EDGE-GATEWAY - [0:0]\n:PREROUTING'))).stderr).toBe(NOTE)
  })

  it('is described without objects, too', async () => {
    const args = ['explain', '--dump', 'node.dump', '100.64.0.5:443', '--from', 'outside']
    const { exitCode, stderr } = await run(args, { files: { 'node.dump': send('10.1.0.9:443') } })
    expect([exitCode, stderr.split('\n').at(-2)]).toEqual([
      0,
      'note: a rule of another program changes the destination, so the rules of kube-proxy do not change it again',
    ])
  })

  it('refers to verify for a rule in a chain of kube-proxy, which is drift', async () => {
    const old = dump.replace(
      /^-A KUBE-SERVICES /m,
      '-A KUBE-SERVICES -d 100.64.0.5/32 -p tcp -j DNAT --to-destination 10.1.0.9:443\n-A KUBE-SERVICES ',
    )
    expect((await ask(old)).stderr).toMatch(
      /^note: the rules of the node differ from the objects; .* run kube-rules verify /,
    )
  })
})
