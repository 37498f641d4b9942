// The parts of the modules of Jest that `jest.ts` uses. Jest would add 132 packages to every clone.

declare module '@jest/globals' {
  export const expect: {
    extend(matchers: object): void
    addSnapshotSerializer(serializer: object): void
  }
}

declare module 'expect' {}
