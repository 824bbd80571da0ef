/** Rules as texts, the later ones of several files after the earlier ones. */
export interface PermissionSettings {
  readonly allow: readonly RuleText[]
  readonly ask: readonly RuleText[]
  readonly deny: readonly RuleText[]
}

/** A rule, and where it stands, for whoever reads it and whoever is told that it decided. */
export interface RuleText {
  readonly text: string
  readonly file: string
  readonly line: number
  readonly column: number
}
