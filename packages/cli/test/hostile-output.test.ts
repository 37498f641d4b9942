import fc from 'fast-check'
import { expect, it } from 'vitest'
import { anyText } from '../../compiler/test/support/any-text.js'
import { fewRuns, isWhole } from '../../compiler/test/support/runs.js'
import { configuration, listJson, node, service, slice } from './support/objects.js'
import { type Outcome, run } from './support/run.js'

/** Characters that a terminal interprets or that disguise text. */
const FORBIDDEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u

const HOSTILE = [
  '\u001b[2J\u001b]0;owned\u0007',
  '\u009b31m',
  '\u202egnp.txt',
  'a\u2066b\u2069',
  'a\u200bb\u{e0041}',
  'a\rb\nc\u2028d\u0085e',
  '\u007f\ud800',
  'x'.repeat(5000),
  '\u202e'.repeat(2000),
]

const words = fc.oneof({ weight: 3, arbitrary: fc.constantFrom(...HOSTILE) }, anyText({ minLength: 1, maxLength: 8 }))

/** Generates mostly valid values, so that the tests also reach the later fields. */
const or = (usual: string) => fc.oneof({ weight: 4, arbitrary: fc.constant(usual) }, words)

interface Case {
  readonly files: Readonly<Record<string, string>>
  readonly args: readonly string[]
}

const clusters: fc.Arbitrary<string> = fc
  .record({
    name: or('web'),
    namespace: or('default'),
    port: or('http'),
    address: or('10.96.0.1'),
    external: or('192.0.2.1'),
    endpoint: or('10.244.1.1'),
    nodeName: or('node-1'),
    mode: or('iptables'),
    kind: or('Service'),
    gate: or('NodeSwap'),
    range: or('10.0.0.0/8'),
  })
  .map((given) =>
    listJson(
      {
        ...service('web', [given.address], {
          type: 'LoadBalancer',
          externalIPs: [given.external],
          externalTrafficPolicy: 'Local',
          loadBalancerSourceRanges: [given.range],
          ports: [{ name: given.port, port: 80, nodePort: 30080 }],
        }),
        kind: given.kind,
        metadata: { name: given.name, namespace: given.namespace },
      },
      { ...slice(given.name, given.endpoint), endpoints: [{ addresses: [given.endpoint], nodeName: given.nodeName }] },
      service('db', ['10.96.0.7']),
      node(given.nodeName, ['192.168.0.2']),
      configuration({ mode: given.mode, featureGates: { [given.gate]: true }, [given.gate]: given.gate }),
    ),
  )

const dumps: fc.Arbitrary<string> = fc
  .record({ comment: or('default/web:http cluster IP'), chain: or('KUBE-SVC-A'), set: or('calico'), prefix: or('x') })
  .map(({ comment, chain, set, prefix }) => {
    // Without line breaks, because the parser then reads more of the text.
    const [word = '', name = '', of = '', log = ''] = [comment, chain, set, prefix].map((text) =>
      text.replaceAll(/[\n\r"\\ ]/g, ''),
    )
    return [
      `*nat\n:KUBE-SERVICES - [0:0]\n:KUBE-SVC-A - [0:0]\n:${name} - [0:0]`,
      '-A PREROUTING -j KUBE-SERVICES',
      `-A KUBE-SERVICES -d 10.96.0.1/32 -p tcp -m comment --comment "${word}" -m tcp --dport 80 -j ${name}`,
      `-A ${name} -m set --match-set ${of} src -j LOG --log-prefix "${log}"`,
      `-A ${name} -m set --match-set ${of} src -j DNAT --to-destination 10.244.1.1:8080`,
      `COMMIT\ncreate ${of} hash:ip\n`,
    ].join('\n')
  })

const common = fc.tuple(
  fc.oneof(
    fc.constant<readonly string[]>([]),
    or('iptables').map((mode) => ['--mode', mode]),
  ),
  fc.oneof(
    fc.constant<readonly string[]>([]),
    or('node-1').map((name) => ['--node', name]),
  ),
  fc.constantFrom<readonly string[]>([], ['-o', 'json']),
  fc.oneof(
    { weight: 6, arbitrary: fc.constant<readonly string[]>([]) },
    words.map((word) => [word]),
  ),
)

const cases: fc.Arbitrary<Case> = fc
  .record({
    objects: clusters,
    others: clusters,
    dump: dumps,
    name: or('objects.json'),
    destination: or('default/web'),
    from: or('pod'),
    common,
    command: fc.nat(9),
  })
  .map(({ objects, others, dump, name, destination, from, common: options, command }) => {
    const files = { [name]: objects, 'others.json': others, 'node.dump': dump }
    const commands: readonly (readonly string[])[] = [
      ['print', '-f', name],
      ['diff', name, 'others.json'],
      ['diff', 'others.json', name, '--stat'],
      ['verify', '-f', name, '--dump', 'node.dump'],
      ['verify', '-f', name, '--dump', 'node.dump', '--script'],
      ['verify', '-f', name, '--dump', name],
      ['explain', '-f', name, destination, '--from', from],
      ['explain', '-f', name, '--dump', 'node.dump', '--all'],
      ['explain', '--dump', 'node.dump', '10.96.0.1:80', '--from', from],
      [destination, name],
    ]
    return { files, args: [...(commands[command] ?? []), ...options.flat()] }
  })

function expectReadable({ stdout, stderr }: Outcome): void {
  for (const text of [stdout, stderr]) expect(text.replaceAll('\n', '')).not.toMatch(FORBIDDEN)
  for (const line of stderr.split('\n')) expect([...line].length).toBeLessThan(500)
}

it('no output contains terminal control sequences or overlong messages for arbitrary quoted text', async () => {
  const seen = { messages: 0, results: 0, escaped: 0, cut: 0 }
  await fc.assert(
    fc.asyncProperty(cases, async ({ files, args }) => {
      const outcome = await run(args, { files })
      expectReadable(outcome)
      expect(outcome.stderr).not.toContain('this is a bug')
      if (outcome.stdout !== '') seen.results++
      if (outcome.stderr !== '') seen.messages++
      if (/\\u[0-9a-f]{4}/.test(outcome.stdout + outcome.stderr)) seen.escaped++
      if (/ … \d+ characters … /.test(outcome.stderr)) seen.cut++
    }),
    { numRuns: fewRuns(90) },
  )
  if (!isWhole) return
  expect(seen.messages).toBeGreaterThan(30)
  expect(seen.results).toBeGreaterThan(2)
  expect(seen.escaped).toBeGreaterThan(14)
  expect(seen.cut).toBeGreaterThan(0)
})

it('a repair script contains names of a dump as octal bytes', async () => {
  const chains = ['KUBE-SVC-\u009b31m', 'KUBE-SVC-\u202e', 'KUBE-SVC-\u200b'].map((name) => `:${name} - [0:0]\n`)
  const dump = `*nat\n:KUBE-SERVICES - [0:0]\n${chains.join('')}COMMIT\n*filter\nCOMMIT\n`
  const files = { 'objects.json': listJson(service('web', ['10.96.0.1'])), 'node.dump': dump }
  const outcome = await run(['verify', '-f', 'objects.json', '--dump', 'node.dump', '--script'], { files })
  expectReadable(outcome)
  for (const bytes of ['\\302\\23331m', '\\342\\200\\256', '\\342\\200\\213']) {
    expect(outcome.stdout).toContain(`\n-X KUBE-SVC-${bytes}\n`)
  }
})
