import { readFileSync } from 'node:fs'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/**
 * Runs the slowest files first, so that no worker ends long after the rest: those that boot a virtual machine, or have
 * property tests.
 */
export class LongOnesFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    // A worker retains its modules only while the project is the same. Projects with few files run first: they cannot
    // occupy two workers, and would leave one idle at the end.
    const sizeOf = (name: string) => sorted.filter(({ project }) => project.name === name).length
    const names = new Set(sorted.map(({ project }) => project.name))
    const projects = [...names].sort((a, b) => sizeOf(a) - sizeOf(b))
    return projects.flatMap((name) => {
      const own = sorted.filter(({ project }) => project.name === name)
      const long = new Set(own.filter(({ moduleId }) => isLong(readFileSync(moduleId, 'utf8'))))
      return [...long, ...own.filter((file) => !long.has(file))]
    })
  }
}

function isLong(text: string): boolean {
  return text.includes('openVirtualMachine') || text.includes("from 'fast-check'")
}
