"""From the text of a file to its chunks: functions, classes, methods, interfaces, properties and fields."""
