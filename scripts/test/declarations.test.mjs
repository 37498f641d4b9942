import { rolldown } from 'rolldown'
import { describe, expect, it } from 'vitest'
import { decodeDeclarations, encodeDeclarations } from '../packages/declaration-code.mjs'

describe('encodeDeclarations', () => {
  it('writes each declaration as a constant with its references', () => {
    const code = `import type { Rule } from './rule.js';
export interface Chain { readonly rules: readonly Rule[]; readonly next?: Chain }
export declare function print(chain: Chain): string;`
    expect(encodeDeclarations('a.d.ts', code, [])).toBe(`import { Rule } from './rule.js';
export const Chain = /* @__PURE__ */ __declaration(0, () => [Rule])
export const print = /* @__PURE__ */ __declaration(1, () => [Chain])`)
  })

  it('keeps an augmentation of a module', () => {
    const code = `import type { A } from './a.js';\ndeclare module 'vitest' { interface Assertion { reach(a: A): void } }`
    expect(encodeDeclarations('a.d.ts', code, [])).toContain('\n__declaration(0, () => [A])')
  })

  it('rejects a type parameter with the name of a declaration', () => {
    const code = 'export interface A {}\nexport type Box<A> = { readonly a: A }'
    expect(() => encodeDeclarations('a.d.ts', code, [])).toThrow('A is declared twice')
  })

  it('rejects import types', () => {
    expect(() => encodeDeclarations('a.d.ts', "export type A = import('./b.js').B", [])).toThrow('import type')
  })
})

describe('decodeDeclarations', () => {
  it('writes comments, overloads and the types of values back', async () => {
    const code = `/** A rule. */
interface Rule { readonly text: string }
/** Prints one. */
declare function print(rule: Rule): string;
/** Prints all. */
declare function print(rules: readonly Rule[]): string;
declare const RULES: readonly Rule[];
type Rules = typeof RULES;
export { type Rules, print };`
    expect(await bundleDeclarations({ 'a.d.ts': code })).toBe(`/** A rule. */
interface Rule { readonly text: string }
/** Prints one. */
declare function print(rule: Rule): string;
/** Prints all. */
declare function print(rules: readonly Rule[]): string;
declare const RULES: readonly Rule[];
type Rules = typeof RULES;
export { Rules, print };
`)
  })

  it('renames declarations of the same name with their references', async () => {
    const files = {
      'a.d.ts': `import type { Rule as Other } from './b.js';
export interface Rule { readonly Rule: string; readonly next?: Rule; readonly other: Other }`,
      'b.d.ts': 'export interface Rule { readonly next?: Rule }\nexport interface Unused {}',
    }
    expect(await bundleDeclarations(files)).toBe(`interface Rule$1 { readonly next?: Rule$1 }
interface Rule { readonly Rule: string; readonly next?: Rule; readonly other: Rule$1 }
export { Rule };
`)
  })

  it('writes a module without imports and exports as a module', async () => {
    expect(await bundleDeclarations({ 'a.d.ts': 'interface Unused {}' })).toBe('export {};\n')
  })
})

/** Bundles declaration files, the first of which is the entry point. */
async function bundleDeclarations(files) {
  const texts = []
  const build = await rolldown({
    input: Object.keys(files)[0],
    plugins: [
      {
        name: 'files',
        resolveId: (specifier) => specifier.replace(/^\.\/(.*)\.js$/, '$1.d.ts'),
        load: (id) => ({ code: encodeDeclarations(id, files[id], texts), moduleType: 'js' }),
      },
    ],
  })
  const { output } = await build.generate({ format: 'esm' })
  return decodeDeclarations(output[0].code, texts)
}
