import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

export const TUTORIALS = new URL('../../../../docs/tutorials/', import.meta.url)

/** Returns the packages that a reader installs for files with these names, after a build. */
export function readerPackagesFor(files: readonly { readonly name: string }[]): string {
  const example = files.some(({ name }) => name.endsWith('.test.mjs')) ? 'vitest-matcher' : 'controller'
  return fileURLToPath(new URL(`../../../../examples/${example}/node_modules`, import.meta.url))
}

/** A command that a tutorial prints, with its output, if the page has one. */
export interface Step {
  readonly command: string
  readonly output: string
  /** The command changes a kernel: it is only for root, in a network namespace. */
  readonly needsRoot: boolean
  /** The command runs until the reader presses Ctrl+C. */
  readonly isStopped: boolean
}

/** Returns the files to save and the commands of a tutorial. */
export function readTutorial(page: string) {
  const text = readFileSync(new URL(page, TUTORIALS), 'utf8')
  const files = text.matchAll(/[Ss]ave this as `(?<name>[^`]+)`(?:(?!```).)*```\w+\n(?<content>.*?)```/gs)
  const steps = text.matchAll(/```sh\n(.*?)```\n(?:\n```\n(.*?)```\n)?((?:(?!```).)*)/gs)
  return {
    files: Array.from(files, ({ groups: { name = '', content = '' } = {} }) => ({ name, content })),
    steps: Array.from(steps, ([, command = '', output = '', after = '']): Step => {
      return { command, output, needsRoot: /^(?:ip|nft) /.test(command), isStopped: after.includes('Ctrl+C') }
    }),
  }
}
