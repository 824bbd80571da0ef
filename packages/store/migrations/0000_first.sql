CREATE TABLE `catalog` (
	`key` text PRIMARY KEY NOT NULL,
	`entry` text NOT NULL,
	`at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `catalog_at` ON `catalog` (`at`);--> statement-breakpoint
CREATE TABLE `events` (
	`position` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`scope` text NOT NULL,
	`channel` integer NOT NULL,
	`sequence` integer NOT NULL,
	`data` text NOT NULL,
	`final` integer NOT NULL,
	`at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `events_place` ON `events` (`scope`,`channel`,`sequence`);--> statement-breakpoint
CREATE INDEX `events_at` ON `events` (`at`);--> statement-breakpoint
CREATE TABLE `leases` (
	`owner` text PRIMARY KEY NOT NULL,
	`until_at` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `questions` (
	`id` text PRIMARY KEY NOT NULL,
	`principal` text NOT NULL,
	`root` text NOT NULL,
	`asker` text NOT NULL,
	`method` text NOT NULL,
	`params` text NOT NULL,
	`state` text NOT NULL,
	`asked_at` integer NOT NULL,
	`answer` text,
	`answered_by` text,
	`reason` text,
	`closed_at` integer
);
--> statement-breakpoint
CREATE INDEX `questions_asked` ON `questions` (`asked_at`,`id`);--> statement-breakpoint
CREATE INDEX `questions_principal` ON `questions` (`principal`,`asked_at`,`id`);--> statement-breakpoint
CREATE INDEX `questions_root` ON `questions` (`root`,`asked_at`,`id`);--> statement-breakpoint
CREATE INDEX `questions_state` ON `questions` (`state`,`asked_at`,`id`);--> statement-breakpoint
CREATE INDEX `questions_closed` ON `questions` (`closed_at`);--> statement-breakpoint
CREATE INDEX `questions_asker` ON `questions` (`asker`,`state`);--> statement-breakpoint
CREATE TABLE `runs` (
	`id` text PRIMARY KEY NOT NULL,
	`kind` text NOT NULL,
	`input` text,
	`state` text NOT NULL,
	`owner` text,
	`generation` integer NOT NULL,
	`created_at` integer NOT NULL,
	`ended_at` integer,
	`result` text
);
--> statement-breakpoint
CREATE INDEX `runs_state` ON `runs` (`state`,`created_at`);--> statement-breakpoint
CREATE INDEX `runs_ended` ON `runs` (`ended_at`);--> statement-breakpoint
CREATE INDEX `runs_kind` ON `runs` (`kind`,`created_at`);--> statement-breakpoint
CREATE TABLE `secrets` (
	`name` text PRIMARY KEY NOT NULL,
	`group_name` text NOT NULL,
	`version` text NOT NULL,
	`expires_at` integer,
	`sealed` text NOT NULL
);
--> statement-breakpoint
CREATE INDEX `secrets_group` ON `secrets` (`group_name`);--> statement-breakpoint
CREATE INDEX `secrets_expires_at` ON `secrets` (`expires_at`);--> statement-breakpoint
CREATE TABLE `sessions` (
	`key` text PRIMARY KEY NOT NULL,
	`owner` text,
	`seen_at` integer NOT NULL,
	`log_level` text,
	`subscriptions` text NOT NULL,
	`session` text NOT NULL
);
--> statement-breakpoint
CREATE INDEX `sessions_seen_at` ON `sessions` (`seen_at`);--> statement-breakpoint
CREATE TABLE `steps` (
	`run` text NOT NULL,
	`position` integer NOT NULL,
	`key` text NOT NULL,
	`state` text NOT NULL,
	`idempotent` integer NOT NULL,
	`attempts` integer NOT NULL,
	`started_at` integer NOT NULL,
	`ended_at` integer,
	`result` text,
	PRIMARY KEY(`run`, `position`),
	FOREIGN KEY (`run`) REFERENCES `runs`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `steps_key` ON `steps` (`run`,`key`);--> statement-breakpoint
CREATE TABLE `thread_items` (
	`thread` text NOT NULL,
	`sequence` integer NOT NULL,
	`id` text NOT NULL,
	`at` integer NOT NULL,
	`value` text NOT NULL,
	PRIMARY KEY(`thread`, `sequence`),
	FOREIGN KEY (`thread`) REFERENCES `threads`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `thread_items_id` ON `thread_items` (`thread`,`id`);--> statement-breakpoint
CREATE TABLE `threads` (
	`id` text PRIMARY KEY NOT NULL,
	`principal` text NOT NULL,
	`agent` text NOT NULL,
	`title` text NOT NULL,
	`folded` text NOT NULL,
	`parent` text,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	`last` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `threads_updated` ON `threads` (`principal`,`updated_at`,`id`);