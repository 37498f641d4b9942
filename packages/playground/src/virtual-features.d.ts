declare module 'virtual:features' {
  /** The description of each feature of kube-proxy, by its name. */
  export const FEATURE_DESCRIPTIONS: Readonly<Record<string, string>>
}
