import { describe, expect, it } from 'vitest'
import { checkFile } from '../imports/check-file.mjs'

const messages = (path, text) => checkFile(path, text).map(({ line, message }) => `${line}: ${message}`)

describe('checkFile', () => {
  it('reports variables and functions that hide an import', () => {
    const source = [
      "import { type Token, isMark, other as named } from './tokens.js'",
      'const used = isMark(token)',
      'function find(left) {',
      '  const isMark = left.length === 1',
      '  let named = isMark',
      '  const other = named',
      '  const list = [other] as const',
      '  isMark(list)',
      '}',
    ].join('\n')
    expect(messages('types/ip.ts', source)).toEqual([
      "4: 'isMark' hides the import of this name",
      "5: 'named' hides the import of this name",
    ])
  })

  it.each([
    ['types/ip.ts', './kubernetes/node.js'],
    ['types/schema/service.ts', '../kubernetes/service.js'],
    ['types/schema/service.ts', 'zod/mini'],
    ['compiler/internal/hash.ts', '#sha256'],
    ['compiler/internal/sha256-noble.ts', '@noble/hashes/sha2.js'],
    ['compiler/internal/sha256-node.ts', 'node:crypto'],
    ['compiler/patch/patch.ts', '../internal/sort.js'],
    ['analyzer/trace/walk-hooks.ts', '@kube-rules/compiler/internal/dataplane/netfilter/kernel-packet'],
    ['compiler/dataplane/iptables/resources.ts', '../../patch/resource.js'],
    ['compiler/dataplane/iptables/matches/mark.ts', '../ast.js'],
    ['compiler/model/reading/diagnostic-collector.ts', '@kube-rules/types'],
    ['compiler/model/configuration/features.ts', '../reading/findings.js'],
    ['compiler/model/node/parsed-node.ts', '../configuration/features.js'],
    ['compiler/model/endpoints/read-endpoint-slice.ts', '../configuration/features.js'],
    ['compiler/model/services/build-group.ts', '../endpoints/read-endpoint-slice.js'],
    ['compiler/model/services/conflicts.ts', '../node/node-facts.js'],
    ['compiler/plan/build-plan.ts', '../model/endpoints/endpoint.js'],
    ['compiler/targets/iptables/mode-lowering.ts', '../../plan/plan.js'],
    ['compiler/targets/iptables/mode-lowering.ts', '../shared/mark.js'],
    ['compiler/targets/ipvs/mode-lowering.ts', '../../dataplane/ipvs/claims.js'],
    ['compiler/targets/ipvs/mode-lowering.ts', '../../dataplane/ipset/ast.js'],
    ['compiler/compilation/mode-lowerings.ts', '../targets/iptables/mode-lowering.js'],
    ['compiler/compilation/compile.ts', '../model/services/build-group.js'],
    ['compiler/index.ts', './plan/plan.js'],
    ['analyzer/index.ts', './trace/trace.js'],
    ['analyzer/verify/verify.ts', '@kube-rules/compiler/internal/reconcile/resource-ownership'],
    ['cli/main.ts', 'node:fs'],
    ['compiler/entries/plan.ts', '../plan/plan.js'],
    ['cli/main.ts', '@kube-rules/compiler'],
    ['cli/main.ts', '@kube-rules/compiler'],
  ])('lets %s import %s', (path, specifier) => {
    expect(messages(path, `import { x } from '${specifier}'\n`)).toEqual([])
  })

  it.each([
    ['types/schema/service.ts', 'zod'],
    ['types/ip.ts', 'zod'],
    ['types/ip.ts', './schema/service.js'],
    ['types/ip.ts', 'node:net'],
    ['types/schema/service.ts', '@kube-rules/compiler'],
    ['compiler/internal/hash.ts', 'node:crypto'],
    ['compiler/internal/hash.ts', '@kube-rules/types'],
    ['compiler/patch/patch.ts', '@kube-rules/types'],
    ['compiler/patch/patch.ts', '../dataplane/iptables/ast.js'],
    ['compiler/diff/diff.ts', '@kube-rules/analyzer'],
    ['compiler/index.ts', '@kube-rules/analyzer'],
    ['analyzer/trace/trace.ts', '../verify/verify.js'],
    ['analyzer/dump/parse-dump.ts', '../trace/trace.js'],
    ['analyzer/index.ts', '@kube-rules/compiler/internal/plan/decide'],
    ['cli/main.ts', '@kube-rules/compiler/internal/plan/decide'],
    ['compiler/dataplane/netfilter/packet.ts', '../iptables/ast.js'],
    ['compiler/dataplane/iptables/print.ts', '../ipset/print.js'],
    ['compiler/dataplane/iptables/print.ts', '../../compilation/compilation.js'],
    ['compiler/dataplane/iptables/print.ts', '../../model/services/service-port.js'],
    ['compiler/model/reading/diagnostic-collector.ts', '../configuration/features.js'],
    ['compiler/model/configuration/settings.ts', '../node/node-facts.js'],
    ['compiler/model/node/node-facts.ts', '../services/service-port.js'],
    ['compiler/model/endpoints/endpoint.ts', '../node/node-facts.js'],
    ['compiler/model/endpoints/endpoint.ts', '../services/service-port.js'],
    ['compiler/model/services/build-group.ts', '../plan/plan.js'],
    ['compiler/model/services/build-group.ts', '@kube-rules/types/schema'],
    ['compiler/plan/build-plan.ts', '../dataplane/iptables/ast.js'],
    ['compiler/targets/iptables/mode-lowering.ts', '../ipvs/mode-lowering.js'],
    ['compiler/targets/iptables/mode-lowering.ts', '../../model/services/service-port.js'],
    ['compiler/targets/shared/mark.ts', '../iptables/mode-lowering.js'],
    ['compiler/targets/iptables/mode-lowering.ts', '../mode-lowering.js'],
    ['compiler/model/services/service-port.ts', '../../compilation/compile.js'],
    ['compiler/compilation/compile.ts', 'zod'],
    ['compiler/plan/plan.ts', '../entries/plan.js'],
    ['cli/main.ts', '../../compiler/src/compile.js'],
    ['cli/main.ts', '@kube-rules/compiler/dist/compile.js'],
  ])('forbids %s to import %s', (path, specifier) => {
    expect(messages(path, `import { x } from '${specifier}'\n`)).toHaveLength(1)
  })

  it('allows targets to import types of the model but no functions', () => {
    const path = 'compiler/targets/iptables/mode-lowering.ts'
    expect(messages(path, "import type { ServicePortId } from '../../model/services/service-port.js'\n")).toEqual([])
    expect(messages(path, "import { f } from '../../model/configuration/effective-configuration.js'\n")).toHaveLength(1)
  })

  it('forbids targets to use a setting that the plan has resolved', () => {
    const text = [
      '/** The Settings. */',
      "import type { PodTraffic, Settings } from '../../model/node/node-facts.js'",
      'const kernel: KernelSettings = frame.kernel',
      'const open = endpoint.ready || port.externalPolicyLocal',
    ].join('\n')
    expect(messages('compiler/targets/ipvs/mode-lowering.ts', text)).toEqual([
      "2: compiler/targets/ipvs/ may not name 'Settings'",
      "4: compiler/targets/ipvs/ may not name 'externalPolicyLocal'",
      "4: compiler/targets/ipvs/ may not name 'ready'",
    ])
    expect(messages('compiler/plan/decide.ts', 'const open = endpoint.ready\n')).toEqual([])
  })

  it.each(['compiler/model/print.ts', 'compiler/compile.ts', 'compiler/misc/x.ts', 'other/index.ts'])(
    'reports a file that belongs to no layer: %s',
    (path) => {
      expect(messages(path, '')).toHaveLength(1)
    },
  )

  it('finds imports in every notation, with their line', () => {
    const text = [
      'export interface A {}',
      "import 'zod'",
      "import * as z from 'zod'",
      "import z, { type Y } from 'zod'",
      'import {',
      '  x,',
      "} from 'zod'",
      "export * from 'zod'",
      "export type { Y } from 'zod'",
      "const lazy = () => import('zod')",
    ].join('\n')
    const lines = checkFile('types/ip.ts', text).map(({ line }) => line)
    expect(lines).toEqual([2, 3, 4, 7, 8, 9, 10])
  })

  it('ignores imports in comments', () => {
    expect(messages('types/ip.ts', "// import 'zod'\n/*\nimport 'zod'\nIntl */\n/** localeCompare */\n")).toEqual([])
  })

  it('does not confuse // in a string with a comment', () => {
    expect(messages('types/ip.ts', "const url = 'http://x'; Math.random()\n")).toHaveLength(1)
  })

  it('requires relative imports to end in .js', () => {
    expect(messages('types/ip.ts', "import { x } from './cidr'\n")).toEqual(["1: './cidr' must end in .js"])
    expect(messages('types/ip.ts', "import { x } from './cidr.ts'\n")).toEqual(["1: './cidr.ts' must end in .js"])
  })

  it.each([
    'export default 1',
    'export { x as default }',
    'a.localeCompare(b)',
    'Math.random()',
    'new Intl.Collator()',
    'new Intl.Segmenter()',
  ])('forbids the code %s', (text) => {
    expect(messages('cli/main.ts', `const first = 1\n${text}\n`)).toHaveLength(1)
  })

  it('allows a segmenter of characters, which are the same in every locale', () => {
    expect(messages('cli/main.ts', "new Intl.Segmenter('en')\n")).toEqual([])
  })
})
